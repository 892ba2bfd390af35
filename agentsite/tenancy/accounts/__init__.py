"""Accounts of people, based on the headless API of django-allauth.

Only processes that have the allauth apps installed may import this package.
"""
