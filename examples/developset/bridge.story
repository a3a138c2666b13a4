HEADLINE: The Bridge at Stonebeck
DATE: May 1, 2026
STORYID: bridge

TEXT:

Since February the people of Stonebeck have had to drive eleven miles to visit friends on the other side of their own river.
That month a flood carried a tree against the little bridge and cracked its middle arch.
The county first wanted to pull the whole thing down and put up one of steel.
But the bridge is more than three hundred years old, and four thousand people signed a letter to save it.
So the engineer, Nadia Rahman, looked for somebody who still knew how to cut stone by hand.
She found Owen Pryce, a mason from Wales, who brought his two daughters to help.
The new blocks came from a quarry near Halden, for its stone is the same honey colour as the old.
In the mornings the three of them worked in the mill yard, and after lunch they set the finished blocks in place.
During the work Owen's younger daughter, Carys, pulled a tin box out of the mud under the arch.
Inside lay a child's shoe and a coin from 1702.
Both can now be seen in the town library.
The bridge will open again on the tenth of October, with a brass band and free soup.
The first to walk over it will be Mrs. Tilly Marsh, who is one hundred and whose house stands on the far bank.
