// `ptp-inspect why`: which file is meant, why others are not, and what is remembered of them.

#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ptp_inspect_why_test {

namespace {

namespace fs = std::filesystem;
using namespace ptp::test;

// With plugins of a user, a memory and nothing else from outside.
class Home {
public:
    [[nodiscard]] ProcessResult why(std::vector<std::string> arguments,
                                    const fs::path& changed = {}) const {
        arguments.insert(arguments.begin(), "why");
        return inspect(arguments, changed);
    }
    ProcessResult check(const std::string& file, std::vector<std::string> arguments = {},
                        const fs::path& changed = {}) const {
        arguments.insert(arguments.begin(), {"--check", file});
        return inspect(arguments, changed);
    }
    [[nodiscard]] nlohmann::json memory() const {
        return nlohmann::json::parse(temp_.read("cache/ptp/plugins.json"));
    }
    [[nodiscard]] fs::path plugins() const { return temp_.path() / "data/ptp/plugins"; }
    [[nodiscard]] const TempFolder& temp() const { return temp_; }

private:
    [[nodiscard]] ProcessResult inspect(const std::vector<std::string>& arguments,
                                        const fs::path& changed) const {
        return run_program("ptp-inspect", arguments,
                           {{"XDG_DATA_HOME", (temp_.path() / "data").string()},
                            {"XDG_CACHE_HOME", (temp_.path() / "cache").string()},
                            {"HOSTILE_FILE", changed.string()}});
    }

    TempFolder temp_;
};

fs::path good() {
    return build_dir() / "tests/plugins/good/good.so";
}

fs::path hostile(const std::string& name) {
    return build_dir() / "tests/hostile" / name / "hostile.so";
}

// Without the folders that were searched.
std::string files_in(const std::string& output) {
    return output.substr(0, output.find("  searched"));
}

// With " on DAY" for " on 2026-11-21".
std::string without_day(std::string text) {
    const std::string begin = " on 20";
    for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
        text.replace(at, std::string(" on 2026-11-21").size(), " on DAY");
    }
    return text;
}

}  // namespace

TEST_CASE("ptp-inspect why: the file that a type means, and the folders that were searched") {
    const Home home;
    const std::string folder = good().parent_path().string();
    const ProcessResult result = home.why({"GoodModel", "--plugins", folder});
    require_success(result);
    CHECK(files_in(result.output) ==
          "GoodModel\n  taken     " + good().string() +
              "  (--plugins)\n"
              "      was not loaded yet in this host: before its first use it is loaded in a "
              "process of its own\n");
    CHECK(result.output.find("    " + folder) != std::string::npos);
    CHECK(result.output.find(home.plugins().string()) != std::string::npos);
    CHECK(result.output.find("plugins of this user") != std::string::npos);
    CHECK(result.output.find("does not exist\n") != std::string::npos);
    CHECK(home.why({"good", "--plugins", folder}).status == 0);
    CHECK(home.why({"good/GoodModel", "--plugins", folder}).status == 0);
    CHECK(home.why({good().string(), "--plugins", folder}).status == 0);
}

TEST_CASE("ptp-inspect why: one that comes first hides others of its plugin") {
    const Home home;
    fs::create_directories(home.plugins());
    fs::copy_file(good(), home.plugins() / "mine.so");
    const std::string folder = good().parent_path().string();
    const ProcessResult result = home.why({"good", "--plugins", folder});
    CHECK(result.status == 0);
    CHECK(files_in(result.output) ==
          "good\n  taken     " + good().string() +
              "  (--plugins)\n"
              "      was not loaded yet in this host: before its first use it is loaded in a "
              "process of its own\n"
              "  shadowed  " +
              (home.plugins() / "mine.so").string() + "  (plugins of this user)\n      " +
              good().string() + " comes first, and has the plugin 'good' too\n");
}

TEST_CASE("ptp-inspect why: a plugin of the user is found without naming its folder") {
    const Home home;
    fs::create_directories(home.plugins());
    fs::copy_file(good(), home.plugins() / "good.so");
    const ProcessResult result = home.why({"GoodTask"});
    CHECK(result.status == 0);
    CHECK(result.output.starts_with("GoodTask\n  taken     " +
                                    (home.plugins() / "good.so").string() +
                                    "  (plugins of this user)\n"));
}

TEST_CASE("ptp-inspect why: a file that cannot be used and comes first stops what needs it") {
    const Home home;
    const fs::path broken = home.temp().write("first/good.so", "hello world");
    const std::string folder = good().parent_path().string();
    const ProcessResult result =
        home.why({"good", "--plugins", broken.parent_path().string(), "--plugins", folder});
    CHECK(result.status == 3);
    CHECK(files_in(result.output) ==
          "good\n  refused   " + broken.string() +
              "  (--plugins)\n      is not an ELF file: it begins with 'hello w'\n"
              "  taken     " +
              good().string() + "  (--plugins)\n      " + broken.string() +
              " comes first and cannot be used: a command that needs the plugin 'good' stops\n"
              "      fix: repair or remove that file, or name this folder first: --plugins " +
              folder +
              "\n      was not loaded yet in this host: before its first use it is loaded in a "
              "process of its own\n");
}

TEST_CASE("ptp-inspect why: a file in a folder that is not searched") {
    const Home home;
    const ProcessResult result = home.why({good().string()});
    CHECK(result.status == 0);
    CHECK(result.output.starts_with(good().string() + "\n  elsewhere " + good().string() +
                                    "\n      its folder is not searched\n      fix: --plugins " +
                                    good().parent_path().string() + "\n"));
}

TEST_CASE("ptp-inspect why: what is unknown, with what was probably meant") {
    const Home home;
    const ProcessResult result = home.why({"GodModel", "--plugins", good().parent_path().string()});
    CHECK(result.status == 3);
    CHECK(result.errors ==
          "ptp-inspect: error: unknown plugin or component 'GodModel'; did you mean "
          "'GoodModel'?\n");
    CHECK(result.output.starts_with("  searched, in this order\n"));
}

TEST_CASE("ptp-inspect why: a plugin of ptp itself is loaded without an attempt before") {
    const Home home;
    const ProcessResult result = home.why({"LeNet5"});
    CHECK(result.status == 0);
    CHECK(result.output.find("  (plugins that come with ptp)\n"
                             "      comes with ptp, and is loaded without an attempt before\n") !=
          std::string::npos);
}

TEST_CASE("ptp-inspect why --retry: a crash is remembered with its signal, by the content") {
    const Home home;
    const std::string crash = hostile("crash").string();
    const std::string remembered =
        "      loading it ended by signal 11 (Segmentation fault) in its start-up code or its "
        "entry on DAY: it is not loaded again\n"
        "      fix: repair and rebuild it; to try this file again: ptp-inspect why ";
    const ProcessResult first = home.why({crash, "--retry"});
    CHECK(first.status == 3);
    CHECK(without_day(first.output).find(remembered + crash + " --retry\n") != std::string::npos);
    // A copy is the same plugin; another build is not.
    const fs::path copy = home.temp().path() / "copy.so";
    fs::copy_file(crash, copy);
    CHECK(without_day(home.why({copy.string()}).output).find(remembered) != std::string::npos);
    CHECK(home.why({hostile("plain").string()}).status == 0);
}

TEST_CASE("ptp-inspect why --retry: a hang is remembered, and what loads is too") {
    const Home home;
    const std::string hang = hostile("hang").string();
    const ProcessResult result = home.why({hang, "--retry", "--time-limit", "1"});
    CHECK(result.status == 3);
    CHECK(without_day(result.output)
              .find("loading it took longer than 1 s in its start-up code or its entry on DAY: it "
                    "is not loaded again\n") != std::string::npos);
    const ProcessResult plain = home.why({hostile("plain").string(), "--retry"});
    CHECK(plain.status == 0);
    CHECK(without_day(plain.output).find("      was loaded and returned on DAY") !=
          std::string::npos);
}

TEST_CASE("ptp-inspect why: what --check has found to crash is remembered too") {
    const Home home;
    const std::map<std::string, std::string> memory = {
        {"XDG_CACHE_HOME", (home.temp().path() / "cache").string()}};
    const std::string crash = hostile("crash").string();
    CHECK(run_program("ptp-inspect", {"--check", crash}, memory).status == 3);
    CHECK(without_day(home.why({crash}).output)
              .find("loading it ended by signal 11 (Segmentation fault) in rule 201 (loads) on "
                    "DAY: it is not loaded again\n") != std::string::npos);
    CHECK(home.memory()["plugins"].at(0)["signal"] == 11);
    CHECK(home.memory()["plugins"].at(0)["plugin"] == "hostile");
    const std::string later =
        (build_dir() / "tests/hostile/components/crashing_components.so").string();
    CHECK(run_program("ptp-inspect", {"--check", later, "--only", "runs"}, memory).status == 3);
    const ProcessResult result = home.why({later});
    CHECK(result.status == 0);  // such values need not occur in a training
    const std::string text = without_day(result.output);
    CHECK(text.find("      checking it crashed in rule 204 (runs): Crashes") != std::string::npos);
    CHECK(text.find(" on DAY: it is loaded, with a warning\n") != std::string::npos);
}

TEST_CASE("ptp-inspect why: a check of a plugin that crashes keeps what a load has found out") {
    const Home home;
    const std::string crash = hostile("crash").string();
    CHECK(home.why({crash, "--retry"}).status == 3);
    auto before = home.memory()["plugins"].at(0);
    CHECK(before["step"] == "its start-up code or its entry");
    CHECK(home.check(crash).status == 3);
    auto after = home.memory()["plugins"].at(0);
    before.erase("when");
    after.erase("when");
    CHECK(after == before);
}

TEST_CASE("ptp-inspect why: what the system has killed is not remembered") {
    const Home home;
    const std::string killed = hostile("killed").string();
    const std::string unknown = "      was not loaded yet in this host: ";
    const ProcessResult retried = home.why({killed, "--retry"});
    CHECK(retried.status == 0);
    CHECK(retried.errors ==
          "ptp-inspect: warning: what came of it cannot be remembered: loading it ended by signal "
          "9 (Killed), which has no cause in the plugin\n");
    CHECK(retried.output.find(unknown) != std::string::npos);
    CHECK(home.check(killed).status == 3);
    CHECK(home.why({killed}).output.find(unknown) != std::string::npos);
}

TEST_CASE("ptp-inspect why: a check with a shorter limit than that of ptprun is no evidence") {
    const Home home;
    const std::string hang = hostile("hang").string();
    CHECK(home.check(hang, {"--time-limit", "1"}).status == 3);
    const ProcessResult result = home.why({hang});
    CHECK(result.status == 0);
    CHECK(result.output.find("      was not loaded yet in this host: ") != std::string::npos);
}

TEST_CASE("ptp-inspect why: what came of a file that has changed meanwhile is not remembered") {
    const Home home;
    const fs::path file = home.temp().path() / "changed.so";
    fs::copy_file(hostile("changed"), file);
    const ProcessResult retried = home.why({file.string(), "--retry"}, file);
    CHECK(retried.errors ==
          "ptp-inspect: warning: what came of it cannot be remembered: its file has changed "
          "meanwhile\n");
    CHECK(retried.output.find("      was not loaded yet in this host: ") != std::string::npos);
    home.check(file.string(), {"--only", "loads"}, file);
    CHECK(home.why({file.string()}).output.find("      was not loaded yet in this host: ") !=
          std::string::npos);
}

TEST_CASE("ptp-inspect why: a damaged memory is reported and replaced") {
    const Home home;
    const std::string memory = home.temp().write("cache/ptp/plugins.json", "{\"format\"").string();
    const ProcessResult result = home.why({hostile("plain").string(), "--retry"});
    CHECK(result.status == 0);
    CHECK(result.errors == "ptp-inspect: warning: " + memory +
                               ": is not JSON; what it has of plugins that crashed is forgotten\n");
    CHECK(home.why({hostile("plain").string()}).errors == "");
}

TEST_CASE("ptp-inspect why: wrong command lines") {
    const Home home;
    CHECK(home.why({"x", "--time-limit", "3"}).errors ==
          "ptp-inspect: error: --time-limit is for --retry\n    help: ptp-inspect why --help\n");
    CHECK(home.why({}).status == 2);
    CHECK(home.why({"--help"}).output.starts_with("usage: ptp-inspect why NAME [OPTION]...\n"));
}

}  // namespace ptp_inspect_why_test
