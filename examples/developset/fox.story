HEADLINE: A Fox in the Theatre
DATE: May 1, 2026
STORYID: fox

TEXT:

Nobody had bought a ticket for the fox, but she came to the theatre all the same.
It happened on Sunday, during the second act of "The Snow Bride" at the Playhouse in Harbour Square.
The actress Mina Roth was just singing to the moon when a red animal trotted across the stage behind her.
The audience clapped, for they thought that it belonged to the play.
Mina, who could see nothing, bowed happily and sang the verse again.
In the wings Gus, the fireman on duty, tried to catch the visitor with a tablecloth.
She ran past him, jumped into the orchestra and sat down inside a drum case.
The drummer, Paula Kern, quietly closed the lid and went on playing.
In the interval a vet named Dr. Sato took the fox to the woods at Elm Hill.
The animal was well, but thin, and she had three chicken bones under her paw.
It is thought that she came in through the kitchen door, which is always open in the heat.
The theatre now has a wire gate there.
