HEADLINE: A New Light at Gull Point
DATE: May 1, 2026
STORYID: lighthouse

TEXT:

The old lighthouse at Gull Point opened as a museum on Saturday.
Nobody had lived there since 1978, when the lamp was switched off and the last keeper, Mr. Arne Dahl, moved to the village.
His granddaughter Freya always thought that the tower was too fine to stand empty.
Two years ago she began asking the fishermen's club and the school for help.
The club mended the stairs, and the children of Miss Pell's class painted the walls white.
The hardest job was the great lens, because it weighs as much as a small car.
A crane lifted it back to the top in April, while half the village watched from the beach.
On the opening day the mayor, Ms. Okoro, cut a blue ribbon and made a short speech.
Then she asked the former keeper, now ninety-one, to press the switch.
He did so with a shaking hand, and the lamp shone across the bay for the first time in over forty years.
Visitors can climb the tower every day except Monday.
The money from the tickets will pay for a new roof on the boathouse.
