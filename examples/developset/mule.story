HEADLINE: A Mule Full of Books
DATE: May 1, 2026
STORYID: mule

TEXT:

There is no road to the village of Alto Pino, only a path with nine hundred steps.
For a long time its twenty-three children had to share one shelf of old books.
Then Rosa Quintero, who drives the library van in the valley, had an idea while she was waiting for a flat tyre to be changed.
What cannot go by wheel, she thought, can go by hoof.
She borrowed a mule called Duchess from a coffee farmer, Don Emilio, and packed two baskets with stories, comics and maps.
The first climb, on a wet day in May, took three hours, because Duchess stopped to eat every flower on the way.
In the end a boy named Mateo walked in front with a carrot.
When they reached the square beside the chapel, the whole village was waiting.
The most popular book of all was about submarines, although hardly anyone there has ever seen the sea.
Now the pair come up on the first Friday of each month.
Rosa reads aloud under the walnut tree, and the grandmothers listen too.
In December a school in the capital sent a hundred more books and a bright red blanket.
The blanket was for Duchess, who tried to eat it.
