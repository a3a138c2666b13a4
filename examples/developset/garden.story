HEADLINE: Pumpkins Behind the Gym
DATE: May 1, 2026
STORYID: garden

TEXT:

Behind the gym of Maple Road School there used to be nothing but broken chairs and nettles.
In March the caretaker, Mr. Boateng, took the chairs to the dump and gave Class 4B the key to the gate.
The children wanted a football pitch at first, but the ground was too narrow.
"Then let us eat it," said Yuki, and everybody voted for a garden.
Their teacher, Mrs. Lindqvist, knew little about plants, so she invited her neighbour, a retired farmer named Joseph.
He came every Thursday in his rubber boots and showed them how to turn the soil.
They planted beans along the fence, lettuce in old bathtubs and pumpkins in the sunny corner by the wall.
In May something ate all the lettuce in a single night.
Omar put up a camera and discovered that the thief was not a rabbit, as they had believed, but the headmistress's tortoise.
From then on a low board kept him out.
At the end of September the class carried thirty pumpkins to the school kitchen.
The cook, Mrs. Diaz, made soup for two hundred people, and not a spoonful was left.
Next year the children hope to keep bees.
