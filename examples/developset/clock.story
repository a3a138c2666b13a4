HEADLINE: The Clock of Bellmoor
DATE: May 1, 2026
STORYID: clock

TEXT:

For eleven years the clock on the town hall of Bellmoor showed ten past three.
Strangers missed their buses because of it, and the pigeons built nests on its hands.
A new part would have cost more than the town's Christmas lights, so the council did nothing.
Last winter Dorothea Finch, who repairs sewing machines in Cobble Lane, climbed up to have a look.
With her went her apprentice, Jun, who is sixteen and not afraid of heights.
Behind the dial they found a mouse's nest, a glove and a gear with five broken teeth.
Dorothea drew the gear on a paper bag and carried the drawing to the bicycle factory.
There a welder named Stan made a copy in his lunch break and asked for nothing but a cake.
The mouse was moved, with all her straw, to the attic of the museum.
On the second of March, at noon exactly, the bell rang out over the market.
Several people dropped their shopping.
Old Mr. Petrov set his watch, which he had not done for years.
The council has now promised Jun a job: once a week he winds the clock and chases off the pigeons.
