"""The application in which people judge (`nescio assess`): a database, a server, and a link for each person.

It needs the extra `assess`. The exported judgements can be collected into a campaign.
"""
