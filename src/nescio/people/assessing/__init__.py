"""The application in which people judge: a database, a server, and links for single persons. Needs the extra `assess`.

`nescio assess` on the command line. What is judged is the history of a campaign again when it is exported.
"""
