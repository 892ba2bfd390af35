"""Accounts of people: allauth's headless browser client, in our words and by our rules.

Only processes that serve people have allauth's tables and may import what is in here.
"""
