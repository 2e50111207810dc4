import base64, json, os, sys
def say(id, **answer): print(json.dumps({"jsonrpc": "2.0", "id": id, **answer}), flush=True)
any = {"type": "object"}
tools = [{"name": "greet", "inputSchema": {"type": "object", "properties": {"who": {"type": "string"}}, "required": ["who"]}},
  {"name": "picture", "inputSchema": any}, {"name": "hang", "inputSchema": any}, {"name": "die", "inputSchema": any}]
for line in sys.stdin:
    asked = json.loads(line)
    id, method, params = asked.get("id"), asked["method"], asked.get("params", {})
    if method == "initialize":
        say(id, result={"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "p", "version": "1"}})
    elif method == "tools/list": say(id, result={"tools": tools})
    elif method == "tools/call" and params["name"] == "greet":
        said = "hello " + params["arguments"]["who"] + os.environ["MARK"]
        say(id, result={"content": [{"type": "text", "text": said}], "structuredContent": {"said": said}})
    elif method == "tools/call" and params["name"] == "picture":
        data = base64.b64encode(bytes([0, 1, 254, 255])).decode()
        say(id, result={"content": [{"type": "image", "mimeType": "image/png", "data": data},
          {"type": "resource", "resource": {"uri": "a:1", "blob": data}}, {"type": "resource_link", "uri": "a:2", "name": "a"}]})
    elif method == "tools/call" and params["name"] == "die": os._exit(4)
