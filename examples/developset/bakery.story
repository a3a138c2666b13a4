HEADLINE: The Robot Who Burned the Buns
DATE: May 1, 2026
STORYID: bakery

TEXT:

At four in the morning, when most of Kestrel Street is asleep, Bakery Moreau is already warm and bright.
Since January the baker, Celine Moreau, has had a helper with one steel arm and two round cameras for eyes.
The children of the street named it Crumb.
It was built by students of the technical college, who needed a real kitchen for their experiments.
Celine said yes because her back hurt from lifting the heavy trays.
The first week went badly.
Crumb could not tell brown from black in the dim light, and it left sixty buns in the oven until they were charcoal.
On another day it put salt on the doughnuts instead of sugar, though an old man named Mr. Novak liked them so much that he bought five.
One of the students, Hamid, hung a bright lamp above the oven, and the trouble stopped.
Now the robot carries the trays, counts the rolls and wipes the tables.
Kneading, however, is still done by hand.
"Dough has to be felt," says Celine's father, who taught her the trade when she was a girl.
In the autumn the students will come back to teach Crumb how to wrap parcels.
