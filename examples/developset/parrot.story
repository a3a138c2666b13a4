HEADLINE: Pepper Comes Home
DATE: May 1, 2026
STORYID: parrot

TEXT:

For nine days the Haddad family in Linden Street had an empty cage in the kitchen.
Their grey parrot, Pepper, had flown out on the first of June, when a painter left the balcony door open.
Eleven-year-old Samir hung up posters at the bakery, the library and the bus station.
His big sister Leila drove around the park every evening and whistled out of the car window.
People called with news, but the bird in the churchyard was only a pigeon, and the one at the zoo was green.
Then, last Tuesday, a nurse called Ines Costa stopped for coffee in the hospital garden.
From the branches over her head a voice said, "Dinner is ready, Samir!"
The nurse had seen that name on a poster while she was waiting for her bus.
She telephoned at once and shared her biscuits with the bird so that it would not fly off.
Twenty minutes later Leila arrived with the cage and a bag of grapes.
Pepper walked straight in, for grapes are the one thing he can never refuse.
The family gave Ms. Costa a box of honey cakes as a thank-you.
"He still speaks with my grandmother's voice," Samir laughed, "so now the whole hospital knows when we eat."
