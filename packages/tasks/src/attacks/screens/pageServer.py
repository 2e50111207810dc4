import http.server
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.send_header('content-type', 'text/html'); self.end_headers()
        self.wfile.write(FORGED_PAGE.encode())
http.server.HTTPServer(('127.0.0.1', 8123), Handler).serve_forever()
