#include "pack/web_server.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ptp::test {

namespace {

// It prints its port as soon as it listens.
constexpr const char* kServe = R"py(
import functools, http.server, ssl, sys
class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass
    def do_GET(self):
        if self.path.startswith("/busy"):
            self.send_error(503)
        elif self.path.startswith("/loop") or self.path.startswith("/moved"):
            self.send_response(302)
            self.send_header("Location", self.path.replace("/moved", ""))
            self.end_headers()
        elif self.path.startswith("/cut"):
            body = open(self.translate_path(self.path[4:]), "rb").read()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[:len(body) // 2])
        elif self.path.startswith("/parts"):
            body = open(self.translate_path(self.path[6:]), "rb").read()
            begin = int(self.headers.get("Range", "bytes=0-")[6:-1])
            if begin >= len(body):
                self.send_error(416)
                return
            self.send_response(206 if begin else 200)
            self.send_header("Content-Length", str(len(body) - begin))
            self.end_headers()
            self.wfile.write(body[begin:])
        elif self.path.startswith("/large"):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(bytes(17 << 20))
        else:
            super().do_GET()
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=sys.argv[1]))
if sys.argv[2]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2], sys.argv[3])
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.handle_error = lambda *_: None
print(server.server_port, flush=True)
server.serve_forever()
)py";

}  // namespace

WebServer::WebServer(const std::filesystem::path& folder, const Certificate& certificate) {
    int ends[2];
    if (pipe(ends) != 0) {
        return;
    }
    process_ = fork();
    if (process_ == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execlp("python3", "python3", "-c", kServe, folder.c_str(), certificate.chain.c_str(),
               certificate.key.c_str(), static_cast<char*>(nullptr));
        _exit(127);
    }
    close(ends[1]);
    std::string port;
    char letter = 0;
    while (read(ends[0], &letter, 1) == 1 && letter != '\n') {
        port += letter;
    }
    close(ends[0]);
    const std::string scheme = certificate.chain.empty() ? "http" : "https";
    address_ = port.empty() ? "" : scheme + "://127.0.0.1:" + port;
}

WebServer::~WebServer() {
    if (process_ > 0) {
        kill(process_, SIGKILL);
        waitpid(process_, nullptr, 0);
    }
}

}  // namespace ptp::test
