HEADLINE: Radio Pyjama
DATE: May 1, 2026
STORYID: radio

TEXT:

At the children's hospital in Birch Street you can hear a radio station that nobody outside has heard of.
It is called Radio Pyjama, and its studio is a former broom cupboard on the third floor.
The idea came from Zofia Wolska, who was nine when she lay there for five weeks with a broken leg.
What troubled her most was not the pain but the long, silent afternoons.
So she wrote jokes on slips of paper and asked Mr. Adeyemi, the night porter, to push them under the doors.
The slips came back with answers, songs and drawings.
When Dr. Brandt, the head of the ward, saw them, she found an old microphone and cleared out the brooms.
Since then the station has been on the air every day from three to four.
Children who may not leave their beds can send in wishes by telephone.
Most of them ask for ghost stories; only the nurses ask for slow songs.
On its first birthday, the fourth of May, the mayor came to read the weather report.
He said that it would be sunny, and it rained for a week.
Zofia, who is now quite well, still returns on Wednesdays to read the jokes.
