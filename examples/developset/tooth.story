HEADLINE: The Tooth in the Cliff
DATE: May 1, 2026
STORYID: tooth

TEXT:

When Priya Nair bent down to tie her shoe on Cutter's Beach, she saw something black and shiny in the clay.
It was the Sunday after the great storm, and part of the cliff had fallen in the night.
Her brother Arun thought that the thing was a bit of coal and wanted to throw it into the waves.
Their mother wrapped it in a scarf instead.
Two days later they showed it to Dr. Helen Stroud at the museum in Whitport.
She turned it over, grew very quiet, and asked them to sit down.
The black thing was the tooth of a sea reptile which hunted there when the whole county lay under warm water.
No tooth of that kind had turned up in the area since 1911.
In the following week six experts dug at the foot of the cliff, but only at low tide, because the sea fills the hole twice a day.
They found eleven bones and part of a jaw.
The farmer above, Mr. Lockett, let them keep their tools in his cow shed.
From Easter on the jaw will hang in the museum's entrance hall, and next to it a small card will carry the girl's name.
