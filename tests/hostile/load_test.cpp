// What the loader makes of plugins that a scan has taken and that turn out to be wrong. The file of
// each has the manifest of the one that is right.

#include "plugin/load_trial.hpp"
#include "plugin/loader.hpp"
#include "support.hpp"

#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <cfenv>
#include <chrono>
#include <string>

namespace load_test {

namespace {

namespace fs = std::filesystem;
using namespace ptp;
using namespace ptp::plugin;
using ptp::test::hostile_file;
using ptp::test::TempFolder;

// What follows "FILE: cannot be loaded ".
std::string failure(const std::string& name) {
    const TempFolder temp;
    const Catalog catalog = scan({hostile_file(name).parent_path()});
    REQUIRE(catalog.plugins.size() == 1);
    try {
        Loader(temp.path()).load(catalog.plugins[0]);
    } catch (const LoadError& error) {
        const std::string start = hostile_file(name).string() + ": cannot be loaded ";
        const std::string text = error.what();
        REQUIRE(text.starts_with(start));
        return text.substr(start.size());
    }
    return "";
}

}  // namespace

TEST_CASE("hostile load: the plugin that is right is loaded") {
    CHECK(failure("plain") == "");
}

TEST_CASE("hostile load: a plugin that lies in its manifest") {
    CHECK(failure("lies") ==
          "(compare): its manifest has HostileModel.settings.width.default_value = \"3\", its code "
          "has \"4\"\n    fix: build it with ptp_add_plugin(), which writes the manifest from the "
          "code");
}

TEST_CASE("hostile load: an ABI that the manifest does not admit") {
    CHECK(failure("wrong_major") ==
          "(open): built for ABI 9.6, this host has 1.6\n    fix: rebuild the plugin with this "
          "host's SDK");
    CHECK(
        failure("wrong_minor") ==
        "(open): built for ABI 1.77, this host has 1.6\n    fix: use a newer host, or rebuild the "
        "plugin with this host's SDK");
}

TEST_CASE("hostile load: descriptions that cannot be right") {
    const struct {
        const char* name;
        const char* expected;
    } cases[] = {
        {"null_entry", "(open): its entry returns no description"},
        {"null_name", "(compare): component 1: name is NULL"},
        {"null_port", "(compare): HostileModel: port 2: is NULL"},
        {"null_ports", "(compare): HostileModel: promises 2 ports, but the list is NULL"},
        {"unknown_flag", "(compare): HostileModel: port 2: flags = 0x80: only 0x7 have a meaning"},
        {"table_in_itself",
         "(compare): HostileModel: setting 1: member 1: member 1: member 1: member 1: member 1: "
         "member 1: member 1: member 1: lies in more than 8 tables"},
        {"null_create", "(compare): HostileModel: create, destroy or extension is NULL"},
        {"null_forward", "(compare): HostileModel: forward is NULL"},
        {"forward_of_task", "(compare): HostileModel: forward must be NULL in a task"},
        {"garbage_count", "(compare): plugin: has 3735928559 components, more than 1000"},
        {"small_struct", "(compare): component 1: struct_size = 8: must be at least 112"},
        {"not_utf8", "(compare): HostileModel: port 1: help is not valid UTF-8"},
        {"duplicate_type", "(compare): plugin: has two components 'HostileModel'"},
        {"reserved_name",
         "(compare): HostileModel: setting 'streams': the name is reserved for the experiment, "
         "which could never give it a value; fix: rename the setting"},
        {"bad_type", "(compare): HostileModel: setting 'width': type = 99: unknown type"},
        {"bad_default",
         "(compare): HostileModel: setting 'width': default = \"three\": must be an integer in [1, "
         "inf), not a string"},
        {"default_out_of_range",
         "(compare): HostileModel: setting 'width': default = -3: must be in [1, inf)"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.name);
        CHECK(failure(c.name) == c.expected);
    }
}

TEST_CASE(
    "hostile load: a plugin that changes the host's arithmetic is refused, and it is put back") {
    CHECK(failure("rounding") ==
          "(open): changes the host's arithmetic by being loaded (numbers are rounded in another "
          "direction): it was probably linked with -ffast-math\n    fix: link it without");
    CHECK(std::fegetround() == FE_TONEAREST);
}

TEST_CASE("hostile load: a plugin linked with -ffast-math is refused, and it is put back") {
    volatile double smallest = 5e-324;  // a denormal number
    REQUIRE(smallest * 1.0 > 0.0);
    CHECK(failure("fast_math") ==
          "(open): changes the host's arithmetic by being loaded (tiny numbers are taken as zero): "
          "it was probably linked with -ffast-math\n    fix: link it without");
    CHECK(smallest * 1.0 > 0.0);
}

TEST_CASE("hostile load: a file that was cut off after the scan is refused before it is opened") {
    const TempFolder temp;
    const fs::path file = temp.write("x.so", ptp::test::read_file(hostile_file("plain")));
    const Catalog catalog = scan({temp.path()});
    fs::resize_file(file, 1000);
    try {
        Loader(temp.path() / "private").load(catalog.plugins.at(0));
        FAIL("was loaded");
    } catch (const LoadError& error) {
        CHECK(error.phase() == LoadPhase::kVerify);
    }
}

TEST_CASE("hostile load: a file that was exchanged after the scan is refused") {
    const TempFolder temp;
    const std::string plain = ptp::test::read_file(hostile_file("plain"));
    const fs::path file = temp.write("x.so", plain);
    const Catalog catalog = scan({temp.path()});
    temp.write("x.so", ptp::test::patched(plain, "\"version\":\"0.1.0\"", "\"version\":\"0.2.0\""));
    CHECK_THROWS_WITH_AS(Loader(temp.path() / "private").load(catalog.plugins.at(0)),
                         (file.string() + ": cannot be loaded (verify): has changed since it was "
                                          "found: version was \"0.1.0\" and is \"0.2.0\"")
                             .c_str(),
                         LoadError);
}

TEST_CASE("hostile load: an attempt in a child process ends with what became of it") {
    const auto end_of = [](const std::string& name) {
        const Catalog catalog = scan({hostile_file(name).parent_path()});
        return try_loading(catalog.plugins.at(0), std::chrono::seconds(1));
    };
    for (const std::string name : {"plain", "lies"}) {  // one is refused when it is loaded
        const LoadTrial returned = end_of(name);
        CHECK(returned.is_conclusive);
        CHECK(returned.tried.end == "");
        CHECK(returned.tried.step == "");
    }
    const LoadTrial crashed = end_of("crash");
    CHECK(crashed.is_conclusive);
    CHECK(crashed.tried.plugin == "hostile");
    CHECK(crashed.tried.file == hostile_file("crash").string());
    CHECK(crashed.tried.end == "ended by signal 11 (Segmentation fault)");
    CHECK(crashed.tried.signal == 11);
    CHECK(crashed.tried.step == "its start-up code or its entry");
    const LoadTrial hung = end_of("hang");
    CHECK(hung.is_conclusive);
    CHECK(hung.tried.end == "took longer than 1 s");
    CHECK(hung.tried.signal == 0);
}

TEST_CASE("hostile load: an attempt that the system has killed tells nothing of the plugin") {
    const Catalog catalog = scan({hostile_file("killed").parent_path()});
    const LoadTrial killed = try_loading(catalog.plugins.at(0));
    CHECK_FALSE(killed.is_conclusive);
    CHECK(killed.tried.end == "ended by signal 9 (Killed)");
}

}  // namespace load_test
