// What the ranks of one user know where nobody has set PTP_SECRET.

#include "distributed/secret.hpp"

#include "base/error.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace secret_test {

using ptp::distributed::secret_of_user;
using ptp::test::TempFolder;

namespace {

// Gives these variables to this process, and at its end what they were before.
class Home {
public:
    Home(const std::string& config, const std::string& home) {
        set("XDG_CONFIG_HOME", config);
        set("HOME", home);
    }
    ~Home() {
        set("XDG_CONFIG_HOME", config_);
        set("HOME", home_);
    }
    Home(const Home&) = delete;
    Home& operator=(const Home&) = delete;

private:
    static std::string text(const char* name) {
        const char* const value = std::getenv(name);
        return value == nullptr ? "" : value;
    }
    static void set(const char* name, const std::string& value) {
        value.empty() ? unsetenv(name) : setenv(name, value.c_str(), 1);
    }

    std::string config_ = text("XDG_CONFIG_HOME");
    std::string home_ = text("HOME");
};

std::string refusal() {
    try {
        return secret_of_user();
    } catch (const ptp::RunError& error) {
        return error.code() == ptp::kConfigurationError ? error.what() : "another code";
    }
}

}  // namespace

TEST_CASE(
    "secret: the first training of a user makes it, for that user alone, and the next has it") {
    const TempFolder folder;
    const Home home("", folder.path().string());
    const std::string secret = secret_of_user();
    CHECK(secret.size() == 64);
    CHECK(secret.find_first_not_of("0123456789abcdef") == std::string::npos);
    CHECK(folder.read(".config/ptp/rank_secret") == secret + "\n");
    CHECK(std::filesystem::status(folder.path() / ".config/ptp/rank_secret").permissions() ==
          (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
    CHECK(secret_of_user() == secret);
}

TEST_CASE("secret: a file that has none is refused, with what to do") {
    const TempFolder folder;
    const Home home(folder.path().string(), "");
    const std::string digits(64, 'a');
    for (const std::string& content :
         {std::string(), std::string("secret\n"), digits + "a", digits + "\n\n",
          std::string(64, 'g'), std::string(63, 'a') + "\n"}) {
        CAPTURE(content);
        const std::string file = folder.write("ptp/rank_secret", content).string();
        CHECK(
            refusal() ==
            file +
                ": is not a secret of trainings, which has 64 hexadecimal digits\n    fix: remove "
                "it, and the next training makes another one; or set PTP_SECRET to the same text "
                "in all processes");
    }
    folder.write("ptp/rank_secret", digits);
    CHECK(secret_of_user() == digits);
}

TEST_CASE("secret: a folder in its place is refused, with what to do") {
    const TempFolder folder;
    const Home home(folder.path().string(), "");
    const auto place = folder.path() / "ptp" / "rank_secret";
    std::filesystem::create_directories(place);
    CHECK(refusal() ==
          place.string() +
              ": is a folder, not a file\n    fix: remove it, and the next training makes another "
              "one; or set PTP_SECRET to the same text in all processes");
}

TEST_CASE("secret: there is none without a home folder, or where nothing can be made in it") {
    const TempFolder folder;
    {
        const Home home("", "");
        CHECK(secret_of_user().empty());
    }
    folder.write("ptp", "no folder");
    const Home home(folder.path().string(), "");
    CHECK(secret_of_user().empty());
}

}  // namespace secret_test
