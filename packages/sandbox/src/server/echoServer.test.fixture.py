import base64, hashlib, json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
class Handler(BaseHTTPRequestHandler):
  protocol_version = 'HTTP/1.1'
  def answer(self):
    if self.headers.get('upgrade') == 'websocket' and self.path == '/live':
      key = self.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
      accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
      self.wfile.write(f'HTTP/1.1 101 Switching\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: {accept}\r\n\r\n'.encode())
      self.wfile.write(bytes([0x81, 5]) + b'hello')
      self.wfile.flush()
      self.rfile.read(1)
      self.close_connection = True
      return
    if 'gyre.bearer' in (self.headers.get('sec-websocket-protocol') or ''):
      self.send_error(418)
      return
    if self.path == '/gone':
      self.close_connection = True
      return
    body = self.rfile.read(int(self.headers.get('content-length') or 0))
    said = json.dumps({'method': self.command, 'path': self.path, 'headers': {k.lower(): v for k, v in self.headers.items()}, 'body': body.decode()})
    page = '<title>inside</title><script>fetch("data", {method: "PUT", body: "x"}).then(r => r.json()).then(r => { document.title = r.method + r.path; })</script>'
    text = (page if self.path == '/page/' else said).encode()
    self.send_response(302 if self.path == '/moved' else 200)
    if self.path == '/moved': self.send_header('location', 'http://localhost:8123/page/?a=1')
    self.send_header('set-cookie', 'a=b; Path=/x; Domain=localhost; HttpOnly')
    self.send_header('content-type', 'text/html' if self.path == '/page/' else 'application/json')
    self.send_header('clear-site-data', '"*"')
    self.send_header('keep-alive', 'timeout=5')
    self.send_header('content-length', str(len(text)))
    self.end_headers()
    if self.command != 'HEAD': self.wfile.write(text)
  do_GET = do_HEAD = do_POST = do_PUT = do_OPTIONS = answer
  def log_message(self, *_): pass
ThreadingHTTPServer(('127.0.0.1', 8123), Handler).serve_forever()
