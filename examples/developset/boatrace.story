HEADLINE: The Lightest Boat
DATE: May 1, 2026
STORYID: boatrace

TEXT:

Every August the towns of Varna Bend and Little Ash race each other down the River Teal in boats they have built themselves.
The rules allow paddles and sails, but no motors.
This year eleven boats lined up under the willow trees at the old ferry house.
The favourite was the Red Heron, steered by Captain Bruno Falk, who had won three times in a row.
Beside it floated a strange thing made of four hundred milk cartons.
Its crew were the twins Ada and Tom Weller, both twelve, and their uncle Piet, who could not swim and wore two life jackets.
At noon the mayor's wife rang a cowbell, and off they went.
After the first bend the Red Heron was far ahead.
But it had rained too little since June, and near the island the heavy boat stuck fast in the sand.
One after another the others ran into the same bank.
Only the milk cartons, which were light as a cork, slid across the shallow water.
Shortly before two the twins touched the stone steps in Little Ash, while their uncle sang at the top of his voice.
Captain Falk, wet to the knees, came on foot to shake their hands.
The prize was a cheese as big as a wheel, which the winners shared with all the crews.
