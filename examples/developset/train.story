HEADLINE: The Night on Train 17
DATE: May 1, 2026
STORYID: train

TEXT:

On the last Friday before the holidays, Train 17 left Norrby at six in the evening with sixty-two passengers.
It should have reached the coast by nine.
But north of the Svart tunnel the wind had blown a pine across the line, and snow soon covered the rails behind them as well.
The guard, Elsa Holm, walked through the carriages and told everyone that no help could come before morning.
A cook on his way home, Mr. Tran, opened the two big bags of food he had packed for his daughter's wedding.
He heated rice and dumplings on the little stove in the dining car, and everyone ate from paper cups.
In the second carriage a choir of schoolgirls sang until the babies slept.
Their leader, Miss Abara, knew a song for every letter of the alphabet.
Ten-year-old Viktor gave his coat to an old lady whose window would not shut.
At half past seven the next day a yellow snow plough pushed its way through.
Its driver brought hot tea, and the passengers cheered.
The wedding started four hours late, yet no guest was cross.
The bride had asked all the people from the train to come to the party.
