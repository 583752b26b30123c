"""Python clients for clients_survey.py: `clients.py NAME` has the tool `charge` called once, as the library is set up.

The server is at IDEM_PROXY; or without it, behind the command in IDEM_SERVER, one word a line. Agents have a scripted model:
it asks for the tool, and where it is told of a failure it asks for it again.
"""
import asyncio
import os
import sys
import uuid

ORDER = os.environ["IDEM_RUN"]
URL = os.environ.get("IDEM_PROXY", "") + "/mcp"
COMMAND = os.environ.get("IDEM_SERVER", "").split("\n")
ARGUMENTS = {"intent": ORDER, "amount": 5}
# A server on standard streams has to be started within it.
PATIENCE = 1.5 if "IDEM_PROXY" in os.environ else 5


def fresh_key():
    """As a model does that is told to give each call a key."""
    return {**ARGUMENTS, "key": str(uuid.uuid4())}


async def sdk(arguments=lambda: ARGUMENTS):
    """The official client, of both generations."""
    try:
        from mcp import Client
    except ImportError:
        return await sdk_of_old(arguments())
    from mcp import StdioServerParameters, stdio_client

    parameters = StdioServerParameters(command=COMMAND[0], args=COMMAND[1:], env=dict(os.environ))
    server = URL if "IDEM_PROXY" in os.environ else stdio_client(parameters)
    async with Client(server, read_timeout_seconds=PATIENCE) as client:
        done(await client.call_tool("charge", arguments()))


async def sdk_of_old(arguments):
    from datetime import timedelta

    from mcp import ClientSession, StdioServerParameters, stdio_client
    from mcp.client.streamable_http import streamablehttp_client

    parameters = StdioServerParameters(command=COMMAND[0], args=COMMAND[1:], env=dict(os.environ))
    streams = streamablehttp_client(URL) if "IDEM_PROXY" in os.environ else stdio_client(parameters)
    async with streams as (read, write, *_):
        async with ClientSession(read, write, read_timeout_seconds=timedelta(seconds=PATIENCE)) as session:
            await session.initialize()
            done(await session.call_tool("charge", arguments))


def done(result):
    if getattr(result, "is_error", None) or getattr(result, "isError", None):
        raise RuntimeError(f"the tool failed: {result.content}")


async def sdk_again(arguments=lambda: ARGUMENTS):
    """What the specification asks of a client: a call whose reply is lost is made again, here by a new client."""
    for attempt in range(3):
        try:
            return await sdk(arguments)
        except BaseException as why:
            print(f"attempt {attempt + 1}: {why!r}", file=sys.stderr)
    sys.exit(1)


async def sdk_again_new_key():
    await sdk_again(fresh_key)


async def openai_agents():
    """Retries a failed call by itself, where it is told how often."""
    from agents import Agent, Model, ModelResponse, Runner, Usage
    from agents.mcp import MCPServerStdio, MCPServerStreamableHttp
    from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

    import json

    class Scripted(Model):
        async def get_response(self, system_instructions, input, *_, **__):
            asked = [item for item in input if isinstance(item, dict) and item.get("type") == "function_call_output"]
            if asked:
                text = ResponseOutputText(text="done", type="output_text", annotations=[])
                said = ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message")
            else:
                said = ResponseFunctionToolCall(
                    call_id="c", name="charge", arguments=json.dumps(ARGUMENTS), type="function_call")
            return ModelResponse(output=[said], usage=Usage(), response_id=None)

        def stream_response(self, *_, **__):
            raise NotImplementedError

    more = {"max_retry_attempts": 2, "retry_backoff_seconds_base": 0.1, "client_session_timeout_seconds": PATIENCE}
    if "IDEM_PROXY" in os.environ:
        server = MCPServerStreamableHttp(params={"url": URL}, **more)
    else:
        params = {"command": COMMAND[0], "args": COMMAND[1:], "env": dict(os.environ)}
        server = MCPServerStdio(params=params, **more)
    async with server:
        await Runner.run(Agent(name="payer", model=Scripted(), mcp_servers=[server]), "pay")


async def langchain_retry():
    """The agent's middleware retries a tool that raised."""
    from datetime import timedelta

    from langchain.agents import create_agent
    from langchain.agents.middleware import ToolRetryMiddleware
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage
    from langchain_mcp_adapters.client import MultiServerMCPClient

    class Scripted(GenericFakeChatModel):
        def bind_tools(self, tools, **_):
            return self

    wait = {"read_timeout_seconds": timedelta(seconds=PATIENCE)}
    at = {"transport": "streamable_http", "url": URL, "session_kwargs": wait}
    if "IDEM_PROXY" not in os.environ:
        own = {"command": COMMAND[0], "args": COMMAND[1:], "env": dict(os.environ)}
        at = {"transport": "stdio", **own, "session_kwargs": wait}
    tools = await MultiServerMCPClient({"charges": at}).get_tools()
    call = {"name": "charge", "args": ARGUMENTS, "id": "c", "type": "tool_call"}
    model = Scripted(messages=iter([AIMessage("", tool_calls=[call]), AIMessage("done")]))
    retry = ToolRetryMiddleware(max_retries=2, initial_delay=0.1, jitter=False)
    await create_agent(model, tools, middleware=[retry]).ainvoke({"messages": [("user", "pay")]})


async def pydantic_ai(arguments=lambda: ARGUMENTS):
    """A failure is told to the model, which may ask for the tool again."""
    from pydantic_ai import Agent
    from pydantic_ai.mcp import MCPToolset
    from pydantic_ai.messages import ModelResponse, RetryPromptPart, TextPart, ToolCallPart, ToolReturnPart
    from pydantic_ai.models.function import FunctionModel

    def scripted(messages, _):
        last = messages[-1].parts
        if any(isinstance(part, ToolReturnPart) for part in last):
            return ModelResponse([TextPart("done")])
        again = [part for part in last if isinstance(part, RetryPromptPart)]
        print(f"asks for the tool; told: {again}", file=sys.stderr)
        return ModelResponse([ToolCallPart("charge", arguments())])

    if "IDEM_PROXY" in os.environ:
        server = MCPToolset(URL, read_timeout=PATIENCE, max_retries=2)
    else:
        from fastmcp.client.transports import StdioTransport

        server = MCPToolset(StdioTransport(COMMAND[0], COMMAND[1:], env=dict(os.environ)), read_timeout=PATIENCE, max_retries=2)
    async with server:
        await Agent(FunctionModel(scripted), toolsets=[server]).run("pay")


async def pydantic_ai_new_key():
    await pydantic_ai(fresh_key)


asyncio.run(globals()[sys.argv[1]]())
