"""Mutation testing of the validation: correct queries are made wrong; how many does the check find?"""
