"""The rules that come with yoimem. They enter by the same door as anyone's."""
