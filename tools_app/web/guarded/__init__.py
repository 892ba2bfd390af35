"""The process that fetches one page, and nothing else: started for it, without keys, and gone after it.

Everything hostile that a web server can send is read here and only here. The process knows nothing of the site: it
gets an order on its standard input, gives up what it does not need (`confine`), and answers on its standard output.
"""
