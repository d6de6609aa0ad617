// The note goes through every linker there is, and through what may be done to a file afterwards.

#include "plugin/note.hpp"

#include "plugin/library_file.hpp"
#include "support.hpp"
#include "support/paths.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace note_test {

namespace {

namespace fs = std::filesystem;
using namespace ptp;
using namespace ptp::plugin;

bool run(const std::string& command) {
    return std::system((command + " 2>/dev/null").c_str()) == 0;
}

bool is_there(const std::string& program) {
    return run("command -v " + program + " >/dev/null");
}

constexpr std::string_view kMarkedCode = "marked code";
constexpr std::string_view kMarkedConstant = "marked constant";

// The source of a note as SDKs of ABI 1.1 wrote it.
std::string without_seal(const std::string& source) {
    const std::size_t begin = source.rfind("    .balign 4\n    .long 2f");
    const std::size_t end = source.find("    .section .note.GNU-stack");
    REQUIRE(begin < end);
    return source.substr(0, begin) + source.substr(end);
}

// Compiles and links a library with the note of the full manifest, and with code that nothing uses.
fs::path build(const ptp::test::TempFolder& temp, const std::string& options,
               const std::string& source = note_source(ptp::test::full_manifest())) {
    const fs::path note = temp.write("note.S", source);
    const fs::path code = temp.write("code.c",
                                     "static const char constant[] = \"marked constant\";\n"
                                     "const char* volatile used = constant;\n"
                                     "int ptp_plugin_entry(void) {\n"
                                     "    __asm__(\".ascii \\\"marked code\\\"\");\n"
                                     "    return used[0];\n"
                                     "}\n"
                                     "static int unused(void) { return 1; }\n"
                                     "int (*other)(void) = unused;\n");
    const fs::path map = ptp::test::source_dir() / "cmake/plugin.map";
    const fs::path library = temp.path() / "library.so";
    REQUIRE(
        run("cc -shared -fPIC -O2 -ffunction-sections -fdata-sections -Wl,--gc-sections "
            "-Wl,--version-script=" +
            map.string() + " " + options + " -o " + library.string() + " " + code.string() + " " +
            note.string()));
    return library;
}

}  // namespace

TEST_CASE(
    "note: it survives every linker, collection of sections, link-time optimization and strip") {
    for (const std::string linker : {"bfd", "gold", "lld", "mold"}) {
        for (const std::string lto : {"", " -flto"}) {
            // Only the first two are sure to understand gcc's intermediate code.
            const bool can = lto.empty() || linker == "bfd" || linker == "gold";
            if (!is_there("ld." + linker) || !can) {
                continue;
            }
            CAPTURE(linker);
            CAPTURE(lto);
            const ptp::test::TempFolder temp;
            const fs::path library =
                build(temp, "-g -Wl,-rpath,/one/folder -fuse-ld=" + linker + lto);
            seal_file(library);
            CHECK(read_note(read_library(library)) == ptp::test::full_manifest());
            const std::string name = library.string();
            for (const std::string& step :
                 {"objcopy --only-keep-debug " + name + " " + name + ".debug",
                  "objcopy --strip-debug --add-gnu-debuglink=" + name + ".debug " + name,
                  "cmake -P " + temp.write("rpath.cmake",
                                           "file(RPATH_SET FILE " + name + " NEW_RPATH /other)")
                                    .string(),
                  "strip --strip-all " + name}) {
                CAPTURE(step);
                REQUIRE(run(step));
                CHECK(read_note(read_library(library)) == ptp::test::full_manifest());
            }
        }
    }
}

TEST_CASE("note: a file that is not sealed yet is not whole") {
    const ptp::test::TempFolder temp;
    CHECK_THROWS_WITH_AS(
        read_note(read_library(build(temp, ""))),
        "is not sealed: the last step of its build, ptp-manifest --seal FILE, is missing",
        UnfinishedFile);
}

TEST_CASE(
    "note: a manifest, code or constant that has changed since the file was sealed is refused") {
    for (const std::string linker : {"bfd", "gold"}) {
        if (!is_there("ld." + linker)) {
            continue;
        }
        CAPTURE(linker);
        const ptp::test::TempFolder temp;
        const fs::path library = build(temp, "-fuse-ld=" + linker);
        seal_file(library);
        const std::string whole = temp.read("library.so");
        const std::size_t manifest = whole.find("All there is");
        const std::size_t code = whole.find(kMarkedCode);
        REQUIRE(manifest != std::string::npos);
        REQUIRE(code != std::string::npos);
        const std::size_t constant = whole.find(kMarkedConstant);
        REQUIRE(constant != std::string::npos);
        for (const std::size_t place : {manifest, code + kMarkedCode.size() - 1, constant}) {
            CAPTURE(place);
            std::string changed = whole;
            changed[place] = static_cast<char>(changed[place] ^ 1);
            temp.write("library.so", changed);
            CHECK_THROWS_WITH_AS(
                read_note(read_library(library)),
                "has changed since it was built: its manifest, code and constants are not "
                "what its seal was made of\n    fix: build it again, or copy it again from "
                "where it was built",
                FileError);
        }
    }
}

TEST_CASE("note: a plugin of an SDK that had no seals yet is taken without one") {
    const ptp::test::TempFolder temp;
    Manifest manifest = ptp::test::full_manifest();
    manifest.abi_minor = 1;
    const fs::path library = build(temp, "", without_seal(note_source(manifest)));
    CHECK(read_note(read_library(library)) == manifest);
    manifest.abi_minor = 2;
    CHECK_THROWS_WITH_AS(
        read_note(read_library(build(temp, "", without_seal(note_source(manifest))))),
        "has no seal, as plugins have from ABI 1.2 on\n    fix: build it with ptp_add_plugin()",
        FileError);
    CHECK_THROWS_WITH_AS(seal_file(library),
                         "has no room for a seal\n    fix: link it with the file that ptp-manifest "
                         "PLUGIN.so OUT.S writes",
                         FileError);
}

TEST_CASE("note: it does not make the stack executable") {
    const ptp::test::TempFolder temp;
    CHECK_FALSE(read_library(build(temp, "")).has_executable_stack);
}

TEST_CASE("note: a file with two manifests is refused") {
    const ptp::test::TempFolder temp;
    temp.write("second.S", note_source(ptp::test::full_manifest()));
    const fs::path library = build(temp, (temp.path() / "second.S").string());
    CHECK_THROWS_WITH_AS(read_note(read_library(library)), "has more than one manifest", FileError);
}

TEST_CASE("note: a plugin that links libtorch must say so") {
    Manifest manifest = ptp::test::full_manifest();
    manifest.build = {
        .libtorch = "", .standard_library = "none", .sanitizer = "none", .compiler = ""};
    const ptp::test::TempFolder temp;
    temp.write("stub.c", "int stub(void) { return 0; }\n");
    REQUIRE(run("cc -shared -fPIC -Wl,-soname,libtorch_cpu.so.9 -o " +
                (temp.path() / "stub.so").string() + " " + (temp.path() / "stub.c").string()));
    temp.write("note.S", note_source(manifest));
    temp.write("code.c", "int stub(void);\nint ptp_plugin_entry(void) { return stub(); }\n");
    const std::string root = temp.path().string();
    REQUIRE(run("cc -shared -fPIC -o " + root + "/library.so " + root + "/code.c " + root +
                "/note.S " + root + "/stub.so"));
    seal_file(root + "/library.so");
    CHECK_THROWS_WITH_AS(read_manifest(root + "/library.so"),
                         "links libtorch, but according to its manifest it was built without",
                         FileError);
}

}  // namespace note_test
