HEADLINE: Ferry Stops for a Seal
DATE: January 5, 2001
STORYID: 2001-W01-1

TEXT:

(SKERRY PORT, 2001) - A ferry waited an hour on Tuesday because a seal slept on its ramp. Captain Nell Boyd said nobody minded.
