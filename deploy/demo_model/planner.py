from deploy.demo_model.conversation import Conversation
from deploy.demo_model.wire import Reply


def title(conversation: Conversation) -> Reply:
    return Reply(text="Title")


def next_reply(conversation: Conversation) -> Reply:
    return Reply(text="I am the demo model.")
