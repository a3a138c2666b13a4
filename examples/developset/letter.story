HEADLINE: A Letter Seventy Years Late
DATE: May 1, 2026
STORYID: letter

TEXT:

Postwoman Greta Lund has carried letters in Hazelbrook for thirty years, but never one as late as this.
A plumber, Luca Ferri, discovered it in April behind a radiator in the old post office, where it had slipped through a crack.
The stamp showed a ship, and the postmark said 1953.
It was addressed to Miss Ivy Thorne, 4 Mill Row.
Mill Row was torn down long ago to make space for the swimming pool.
Greta did not give up.
She asked at the church, in the archive and at the hairdresser's, which turned out to be the best place of all.
The hairdresser knew that Ivy had married a sailor named Bell and now lived with her son in Carrow, forty miles away.
On her day off, a rainy Monday, Greta drove there with the letter in a plastic folder.
Mrs. Bell, who is eighty-three, read it twice and began to laugh.
It came from her school friend Ruth, who wanted to say sorry for having lost Ivy's roller skates.
"I was angry with her for a whole summer," said Mrs. Bell.
That same evening she picked up the telephone and dialled a number in Canada.
Ruth answered at once.
