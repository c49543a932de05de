"""A generator of contrast questions: a change of meaning changes the answer."""
