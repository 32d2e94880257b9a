"""The reference: a Trio server that does nothing but hand a line to the other side of a pair.

Two connections after one another make a pair; whatever one says is sent to the other as it came.
No parsing, no rules, no clock, no database: what Trio and the kernel cost, and nothing else.
"""

import sys

import trio


async def main() -> None:
    waiting: list[trio.SocketStream] = []
    partners: dict[trio.SocketStream, trio.SocketStream] = {}

    async def serve(stream: trio.SocketStream) -> None:
        if waiting:
            other = waiting.pop()
            partners[stream], partners[other] = other, stream
        else:
            waiting.append(stream)
        try:
            # Not by send_all: a partner that has read this may have its first line sent to this
            # stream before the call is over, and Trio lets only one task at a time be in send_all.
            await stream.socket.send(b"hello\n")
            async for data in stream:
                if stream in partners:
                    await partners[stream].send_all(data)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass
        finally:
            await trio.aclose_forcefully(stream)

    async with trio.open_nursery() as nursery:
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1", backlog=1024)
        print(listeners[0].socket.getsockname()[1], flush=True)
        nursery.start_soon(trio.serve_listeners, serve, listeners)
        await trio.to_thread.run_sync(sys.stdin.read, abandon_on_cancel=True)
        nursery.cancel_scope.cancel()


if __name__ == "__main__":
    trio.run(main)
