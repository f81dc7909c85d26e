"""A provider of a model that replays a script: a real server that speaks OpenAI's chat protocol.

The real provider code is led to it by `OPENAI_BASE_URL` and `OPENAI_API_KEY`, and by a model called
`MODEL`: `openai-chat` is the provider that asks for chat completions.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Lock, Thread
from types import TracebackType
from typing import Any, Self

MODEL = "openai-chat:scripted"
Request = Mapping[str, Any]
Step = Mapping[str, Any] | Callable[[Request], "Step"]
"""What is answered to one request, or what makes it of the request: see `text` and what follows."""


def text(words: str) -> Step:
    """Answer with plain words."""
    return {"text": words}


def tools(*calls: tuple[str, Mapping[str, Any] | str]) -> Step:
    """Call tools, each by its name and its arguments; a text is sent as the arguments as it is."""
    return {"tools": calls}


def failure(status: int, message: str = "no luck today") -> Step:
    """Answer with an error of HTTP."""
    return {"status": status, "message": message}


class ScriptedProvider:
    """Answers each request with the next step of `steps`; beyond the last one with "done".

    `requests` are the bodies that came, parsed. Used as a context manager, it listens meanwhile;
    `environ` are the variables that lead the provider code to it.
    """

    def __init__(self, steps: Sequence[Step] = ()) -> None:
        self.requests: list[dict[str, Any]] = []
        self._steps = iter(steps)
        self._ids = count()
        self._lock = Lock()
        self._server = _Server(self.answer)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def environ(self) -> dict[str, str]:
        return {"OPENAI_BASE_URL": self.url, "OPENAI_API_KEY": "none-is-needed"}

    def __enter__(self) -> Self:
        Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, request: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return the HTTP status and the body that `request` gets."""
        with self._lock:
            self.requests.append(request)
            step = next(self._steps, text("done"))
        while callable(step):
            step = step(request)
        if "status" in step:
            return step["status"], {"error": {"message": step["message"], "type": "scripted"}}
        return 200, self._completion(request, step)

    def _completion(self, request: Request, step: Mapping[str, Any]) -> dict[str, Any]:
        calls = [self._call(name, arguments) for name, arguments in step.get("tools", ())]
        message = {"role": "assistant", "content": step.get("text"), "tool_calls": calls or None}
        reason = "tool_calls" if calls else "stop"
        return {
            "id": f"answer-{next(self._ids)}",
            "object": "chat.completion",
            "created": 1_770_000_000,
            "model": request.get("model", ""),
            "choices": [{"index": 0, "message": message, "finish_reason": reason}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
        }

    def _call(self, name: str, arguments: Mapping[str, Any] | str) -> dict[str, Any]:
        spelled = arguments if isinstance(arguments, str) else json.dumps(arguments)
        function = {"name": name, "arguments": spelled}
        return {"id": f"call-{next(self._ids)}", "type": "function", "function": function}


class _Server(ThreadingHTTPServer):
    """Hands the body of each POST to `answer`; a caller that hung up meanwhile is let go."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, answer: Callable[[dict[str, Any]], tuple[int, dict[str, Any]]]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer = answer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep quiet: a test that kills its caller means to."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        status, body = self.server.answer(request)
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("x-should-retry", "false")  # the client's own patience is not our subject
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the parent names it
        """Say nothing: pytest's output is for the tests."""
