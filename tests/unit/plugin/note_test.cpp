// The note goes through every linker there is, and through what may be done to a file afterwards.

#include "plugin/note.hpp"

#include "plugin/plugin_file.hpp"
#include "support.hpp"
#include "support/paths.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

namespace {

namespace fs = std::filesystem;
using namespace ptp::plugin;

bool run(const std::string& command) {
    return std::system((command + " 2>/dev/null").c_str()) == 0;
}

bool is_there(const std::string& program) {
    return run("command -v " + program + " >/dev/null");
}

// Compiles and links a library with the note of the full manifest, and with code that nothing uses.
fs::path build(const ptp::test::TempFolder& temp, const std::string& options) {
    const fs::path note = temp.write("note.S", note_source(ptp::test::full_manifest()));
    const fs::path code = temp.write("code.c",
                                     "int ptp_plugin_entry(void) { return 0; }\n"
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
    "note: it survives every linker, collection of sections, link-time optimisation and strip") {
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
            const fs::path library = build(temp, "-fuse-ld=" + linker + lto);
            CHECK(read_note(read_elf(library)) == ptp::test::full_manifest());
            REQUIRE(run("strip --strip-all " + library.string()));
            CHECK(read_note(read_elf(library)) == ptp::test::full_manifest());
        }
    }
}

TEST_CASE("note: it does not make the stack executable") {
    const ptp::test::TempFolder temp;
    CHECK_FALSE(read_elf(build(temp, "")).has_executable_stack);
}

TEST_CASE("note: a file with two manifests is refused") {
    const ptp::test::TempFolder temp;
    temp.write("second.S", note_source(ptp::test::full_manifest()));
    const fs::path library = build(temp, (temp.path() / "second.S").string());
    CHECK_THROWS_WITH_AS(read_note(read_elf(library)), "has more than one manifest", FileError);
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
    CHECK_THROWS_WITH_AS(read_manifest(root + "/library.so"),
                         "links libtorch, but its manifest says that it was built without",
                         FileError);
}
