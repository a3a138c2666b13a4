HEADLINE: Oldest Mill Turns Again
DATE: January 5, 2001
STORYID: 2001-W01-2

TEXT:

(BRINDLE, 2001) - The acorn mill of Brindle ground flour again on Friday after 140 years.
