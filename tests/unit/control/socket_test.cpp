#include "control/socket.hpp"

#include "support.hpp"
#include "support/texts.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

namespace socket_test {

using namespace ptp;
using namespace ptp::control;
using ptp::test::error_of;
using ptp::test::TempFolder;
namespace fs = std::filesystem;

namespace {

class Umask {
public:
    explicit Umask(mode_t mask) : before_(umask(mask)) {}
    ~Umask() { umask(before_); }
    Umask(const Umask&) = delete;
    Umask& operator=(const Umask&) = delete;

private:
    mode_t before_;
};

// Leaves a socket as a process that was killed does.
void die_listening(const fs::path& folder) {
    const pid_t child = fork();
    if (child == 0) {
        try {
            const Listener listener(folder);
            _exit(0);
        } catch (...) {
            _exit(1);
        }
    }
    int status = 0;
    waitpid(child, &status, 0);
    REQUIRE(status == 0);
}

}  // namespace

TEST_CASE("socket: only the owner may open it, under any umask") {
    for (const mode_t mask : {0000, 0022, 0777}) {
        CAPTURE(mask);
        const TempFolder folder;
        const Umask set(mask);
        const Listener listener(folder.path());
        struct stat status {};
        REQUIRE(stat((folder.path() / "control.sock").c_str(), &status) == 0);
        CHECK(S_ISSOCK(status.st_mode));
        CHECK((status.st_mode & 07777U) == 0600);
    }
}

TEST_CASE("socket: a folder with a name longer than an address") {
    const TempFolder folder;
    fs::path deep = folder.path();
    for (int i = 0; i < 10; ++i) {
        deep /= std::string(50, 'x');
    }
    fs::create_directories(deep);
    {
        const Listener listener(deep);
        CHECK(fs::is_socket(deep / "control.sock"));
        CHECK(connect_to(deep, std::nullopt).is_open());
        CHECK(listener.accept().is_open());
        CHECK(!listener.accept().is_open());
    }
    CHECK(!fs::exists(deep / "control.sock"));
}

TEST_CASE("socket: one that a dead process left is replaced") {
    const TempFolder folder;
    die_listening(folder.path());
    REQUIRE(fs::is_socket(folder.path() / "control.sock"));
    const Listener listener(folder.path());
    CHECK(connect_to(folder.path(), std::nullopt).is_open());
}

TEST_CASE("socket: one that somebody listens on stays, however many wait there") {
    const TempFolder folder;
    const Listener first(folder.path());
    CHECK(error_of([&] { Listener{folder.path()}; }) == "another process listens there");
    std::vector<Descriptor> waiting;
    try {
        while (waiting.size() < 1000) {
            waiting.push_back(connect_to(folder.path(), std::chrono::milliseconds(1)));
        }
    } catch (const std::system_error&) {
    }
    CHECK(waiting.size() < 1000);
    CHECK(error_of([&] { Listener{folder.path()}; }) == "another process listens there");
    CHECK(fs::is_socket(folder.path() / "control.sock"));
}

TEST_CASE("socket: what is not a socket stays, links too") {
    const TempFolder folder;
    folder.write("control.sock", "mine");
    CHECK(error_of([&] { Listener{folder.path()}; }) ==
          "a file that is not a socket is there already");
    CHECK(folder.read("control.sock") == "mine");
    fs::remove(folder.path() / "control.sock");
    const TempFolder other;
    die_listening(folder.path());
    fs::create_symlink(folder.path() / "control.sock", other.path() / "control.sock");
    CHECK(error_of([&] { Listener{other.path()}; }) ==
          "a file that is not a socket is there already");
    CHECK(fs::is_symlink(other.path() / "control.sock"));
}

TEST_CASE("socket: a folder that is not there") {
    CHECK(error_of([] { Listener{"/nowhere/at/all"}; }) == "No such file or directory");
    CHECK(error_of([] { connect_to("/nowhere/at/all", std::nullopt); }) ==
          "No such file or directory");
}

TEST_CASE("socket: at its end it removes its own file alone") {
    const TempFolder folder;
    {
        const Listener listener(folder.path());
        fs::remove(folder.path() / "control.sock");
        folder.write("control.sock", "another's");
    }
    CHECK(folder.read("control.sock") == "another's");
}

TEST_CASE("socket: this user may control, and no descriptor outlives a program that is started") {
    const TempFolder folder;
    const Listener listener(folder.path());
    const Descriptor client = connect_to(folder.path(), std::nullopt);
    const Descriptor served = listener.accept();
    CHECK(may_control(served));
    CHECK(!may_control(Descriptor()));
    for (const int descriptor : {listener.descriptor(), client.get(), served.get()}) {
        CHECK((fcntl(descriptor, F_GETFD) & FD_CLOEXEC) != 0);
    }
}

}  // namespace socket_test
