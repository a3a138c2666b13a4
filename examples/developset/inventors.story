HEADLINE: A Light for Grandfather
DATE: May 1, 2026
STORYID: inventors

TEXT:

Twelve young inventors met in the sports hall of Port Adela last weekend.
Each had three minutes to show something that would make life easier for another person.
There was an umbrella for two dogs, an alarm clock that poured water, and a spoon that told you when the soup was too hot.
The spoon, by Marisol Vega, came second.
First place went to Kofi Mensah, aged ten, for a walking stick with a light in its handle.
He had made it for his grandfather, who fell in the dark stairwell last November when the power failed.
The light turns itself on as soon as the stick is picked up.
Kofi took the lamp from a broken bicycle and the switch from a toy crane.
At first the batteries fell out at every step, until his aunt Efua, a dentist, lent him some of the glue she uses for teeth.
The judges, an engineer, a nurse and a clown, did not need long to agree.
"It is simple, and somebody really needs it," said the engineer, Mrs. Baptiste.
In July Kofi will travel to the national final in the capital.
His grandfather is coming along, and of course he will bring the stick.
