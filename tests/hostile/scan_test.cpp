// What a scan, which runs no code, makes of files that are wrong.

#include "plugin/catalog.hpp"
#include "plugin/fingerprint.hpp"
#include "support.hpp"

#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/system_library.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <elf.h>
#include <sys/stat.h>
#include <nlohmann/json.hpp>

#include <cstring>
#include <random>
#include <string>

namespace scan_test {

namespace {

namespace fs = std::filesystem;
using namespace ptp::test;
using ptp::plugin::Catalog;
using ptp::plugin::scan;

struct Machine {
    Elf64_Half number;
    std::string name;
};
#if defined(__aarch64__)
const std::string kThisMachine = "aarch64";
const Machine kOtherMachine{EM_X86_64, "x86-64"};
#else
const std::string kThisMachine = "x86-64";
const Machine kOtherMachine{EM_AARCH64, "aarch64"};
#endif

std::string plain() {
    return read_file(hostile_file("plain"));
}

// A file with one field of the ELF header changed.
template <class Field>
std::string with_header(Field Elf64_Ehdr::*field, Field value) {
    std::string content = plain();
    Elf64_Ehdr header;
    std::memcpy(&header, content.data(), sizeof header);
    header.*field = value;
    std::memcpy(content.data(), &header, sizeof header);
    return content;
}

}  // namespace

TEST_CASE("hostile scan: the plugin that is right is taken") {
    CHECK(rejection(plain()) == "");
}

TEST_CASE("hostile scan: a plugin without entry") {
    CHECK(rejection(read_file(hostile_file("no_entry"))) ==
          "is not a plugin: it does not export ptp_plugin_entry"
          "\n    fix: ptp_add_plugin() builds one from a source with PTP_PLUGIN()");
}

TEST_CASE("hostile scan: a library that never was a plugin") {
    CHECK(rejection(read_file(ptp::test::system_library("libc.so.6"))) ==
          "is not a plugin: it does not export ptp_plugin_entry"
          "\n    fix: ptp_add_plugin() builds one from a source with PTP_PLUGIN()");
}

TEST_CASE("hostile scan: another ABI") {
    CHECK(rejection(patched(plain(), "\"abi_major\":1", "\"abi_major\":9")) ==
          "built for ABI 9.6, this host has 1.6\n    fix: rebuild the plugin with this host's SDK");
    CHECK(
        rejection(patched(plain(), "\"abi_minor\":6", "\"abi_minor\":8")) ==
        "built for ABI 1.8, this host has 1.6\n    fix: use a newer host, or rebuild the plugin with this "
        "host's SDK");
}

TEST_CASE("hostile scan: another libtorch") {
    const std::string host = ptp::plugin::host_build().libtorch;
    const std::string other = "9" + host.substr(1);
    CHECK(rejection(patched(plain(), host, other)) ==
          "built for libtorch " + other + ", this host has " + host +
              "\n    fix: rebuild the plugin against this host's libtorch");
}

TEST_CASE("hostile scan: another standard library") {
    CHECK(
        rejection(patched(plain(), "libstdc++ cxx11", "libstdc++ cxx99")) ==
        "built for standard library libstdc++ cxx99, this host has libstdc++ cxx11\n    fix: rebuild the plugin with this host's compiler settings");
}

TEST_CASE("hostile scan: a file that is cut off") {
    const std::string content = plain();
    const std::string size = std::to_string(content.size());
    CHECK(rejection(content.substr(0, 1000)) ==
          "is cut off: its header promises " + size + " bytes, the file has 1000");
    CHECK(rejection(content.substr(0, content.size() - 1)) ==
          "is cut off: its header promises " + size + " bytes, the file has " +
              std::to_string(content.size() - 1));
    CHECK(rejection(content.substr(0, 100)).starts_with("is cut off: its header promises "));
    CHECK(rejection(content.substr(0, 20)) ==
          "is cut off: its header alone has 64 bytes, the file has 20");
}

TEST_CASE("hostile scan: a file for another machine, or of another kind") {
    CHECK(rejection(with_header(&Elf64_Ehdr::e_machine, kOtherMachine.number)) ==
          "is built for " + kOtherMachine.name + ", this host is " + kThisMachine);
    CHECK(rejection(with_header(&Elf64_Ehdr::e_machine, Elf64_Half{9999})) ==
          "is built for machine 9999, this host is " + kThisMachine);
    CHECK(rejection(with_header(&Elf64_Ehdr::e_type, Elf64_Half{ET_REL})) ==
          "is not a shared library but an object file");
    std::string narrow = plain();
    narrow[EI_CLASS] = ELFCLASS32;
    CHECK(rejection(narrow) == "is built for a 32-bit machine, this host is " + kThisMachine);
    std::string swapped = plain();
    swapped[EI_DATA] = ELFDATA2MSB;
    CHECK(rejection(swapped) == "is an ELF file of another byte order, or damaged");
}

TEST_CASE("hostile scan: a plugin without a manifest, and with a malformed one") {
    std::string other_owner = plain();
    const std::size_t owner = other_owner.find(std::string("PTP\0{", 5));
    REQUIRE(owner != std::string::npos);
    other_owner[owner] = 'Q';
    CHECK(rejection(other_owner) == "has no manifest\n    fix: build it with ptp_add_plugin()");
    CHECK(rejection(patched(plain(), "\"version\":", "\"version\";")) ==
          "its manifest is malformed: it is not JSON");
    CHECK(rejection(patched(plain(), "\"version\"", "\"persian\"")) ==
          "its manifest is malformed: the manifest has members that are unknown");
    CHECK(rejection(patched(plain(), "\"model\"", "\"yodel\"")) ==
          "its manifest is malformed: components[0].kind = 'yodel' is not a known word");
    CHECK(rejection(patched(plain(), "\"HostileModel\"", "\"Hostile Mode\"")) ==
          "component 'Hostile Mode': the name must be letters, digits and '_', a letter first");
}

TEST_CASE("hostile scan: what is named like a plugin and is not a file") {
    const TempFolder temp;
    fs::create_directory(temp.path() / "a.so");
    REQUIRE(::mkfifo((temp.path() / "b.so").c_str(), 0600) == 0);
    fs::create_symlink("/nowhere", temp.path() / "c.so");
    const Catalog catalog = scan({temp.path()});
    REQUIRE(catalog.rejected.size() == 3);
    CHECK(catalog.rejected[0].reason == "is a folder, not a file");
    CHECK(catalog.rejected[1].reason == "is not a regular file");
    CHECK(catalog.rejected[2].reason == "cannot be opened: No such file or directory");
}

TEST_CASE(
    "hostile scan: two plugins that offer one type are both found, and can be distinguished") {
    const TempFolder temp;
    const std::string content = plain();
    temp.write("a/x.so", content);
    temp.write("b/x.so", patched(content, "\"hostile\"", "\"another\""));
    const Catalog catalog = scan({temp.path() / "a", temp.path() / "b"});
    CHECK(catalog.rejected.empty());
    REQUIRE(catalog.find("HostileModel").size() == 2);
    CHECK(catalog.find("HostileModel")[0].plugin->manifest.name == "another");
    CHECK(catalog.find("hostile/HostileModel").size() == 1);
}

TEST_CASE("hostile scan: a list depth of two billions neither hangs a tool nor is taken") {
    const TempFolder temp;
    const auto file = temp.write("x.so", with_manifest(plain(), [](nlohmann::json& manifest) {
                                     nlohmann::json& setting =
                                         manifest["components"][0]["settings"][0];
                                     setting["list_depth"] = 0x7fffffff;
                                     setting["default_value"] = "0";
                                     setting.erase("help");
                                 }));
    const std::string why =
        "HostileModel: setting 'width': list_depth = 2147483647: must be 0, 1 or 2";
    const auto inspected = run_program("ptp-inspect", {file.string()});
    CHECK(inspected.status == 3);
    CHECK(inspected.errors == "ptp-inspect: error: " + file.string() + ": " + why + "\n");
    const auto experiment = temp.write("x.toml", "[training]\n");
    const auto checked =
        run_program("ptprun", {"check", experiment.string(), "--plugins", temp.path().string()});
    CHECK(checked.status == 2);
    CHECK(checked.errors.find(file.string() + ": warning: " + why + "\n") != std::string::npos);
}

// Whatever is done to a file, the scan ends with a plugin or a reason.
TEST_CASE("hostile scan: a thousand damaged files do no harm") {
    const std::string whole = read_file(build_dir() / "tests/plugins/good/good.so");
    const TempFolder temp;
    std::mt19937 random(20240607);
    int taken = 0;
    for (int i = 0; i < 1000; ++i) {
        CAPTURE(i);
        std::string content = whole;
        const int changes = 1 + static_cast<int>(random() % 20);
        for (int k = 0; k < changes; ++k) {
            // Half of them in the headers, where a wrong number leads furthest.
            const std::size_t limit = random() % 2 == 0 ? 1024 : content.size();
            content[random() % limit] = static_cast<char>(random());
        }
        if (random() % 4 == 0) {
            content.resize(random() % content.size());
        }
        temp.write("x.so", content);
        const Catalog catalog = scan({temp.path()});
        REQUIRE(catalog.plugins.size() + catalog.rejected.size() == 1);
        taken += static_cast<int>(catalog.plugins.size());
    }
    CHECK(taken < 1000);
    CHECK(taken > 0);
}

}  // namespace scan_test
