#include "ptp-pack/password.hpp"

#include "base/descriptor.hpp"
#include "base/output_file.hpp"
#include "ptp-pack/refuse.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <termios.h>
#include <unistd.h>

namespace ptp::pack {

namespace {

// Disables the terminal's echo during its lifetime.
class WithoutEcho {
public:
    explicit WithoutEcho(int terminal) : terminal_(terminal) {
        is_changed_ = tcgetattr(terminal, &before_) == 0;
        termios silent = before_;
        silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
        is_changed_ = is_changed_ && tcsetattr(terminal, TCSAFLUSH, &silent) == 0;
    }
    ~WithoutEcho() {
        if (is_changed_) {
            tcsetattr(terminal_, TCSAFLUSH, &before_);
        }
    }
    WithoutEcho(const WithoutEcho&) = delete;
    WithoutEcho& operator=(const WithoutEcho&) = delete;

private:
    int terminal_;
    termios before_{};
    bool is_changed_ = false;
};

void show_at(int terminal, const std::string& text) {
    if (write(terminal, text.data(), text.size()) < 0) {
        refuse(kTrainingError, {"cannot write to the terminal"});
    }
}

}  // namespace

std::string password_from_file(const std::string& file) {
    const std::string text = read_text(file);
    const std::string line = text.substr(0, text.find('\n'));
    if (line.empty()) {
        refuse(kConfigurationError,
               {fmt::format("{}: its first line, the password, is empty", file)});
    }
    return line;
}

std::string password_from_terminal(const std::string& key) {
    const Descriptor terminal(open("/dev/tty", O_RDWR | O_CLOEXEC));
    if (!terminal.is_open()) {
        refuse(kConfigurationError,
               {fmt::format("{}: has a password, and there is no terminal to ask for it", key),
                "write the password into a file: --password-file FILE"});
    }
    const WithoutEcho silent(terminal.get());
    show_at(terminal.get(), fmt::format("password of {}: ", key));
    std::string line;
    char letter = 0;
    while (read(terminal.get(), &letter, 1) == 1 && letter != '\n') {
        line += letter;
    }
    show_at(terminal.get(), "\n");
    return line;
}

}  // namespace ptp::pack
