#include "engine/checkpoint/mapped_file.hpp"

#include "base/error.hpp"
#include "support/temp_folder.hpp"
#include "support/texts.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace mapped_file_test {

namespace fs = std::filesystem;

using ptp::RunError;
using ptp::engine::MappedFile;

namespace {

constexpr std::size_t kSize = std::size_t{1} << 16;

// A file of kSize letters, written an hour ago.
fs::path file_of(const ptp::test::TempFolder& folder, char letter) {
    const fs::path file = fs::canonical(folder.write("weights", std::string(kSize, letter)));
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(1));
    return file;
}

std::string error_of(const MappedFile& file) {
    return ptp::test::error_of<RunError>(ptp::kDataError, [&] { file.require_unchanged(); });
}

std::string changed(const fs::path& file) {
    return file.string() +
           ": was changed while its weights were used\n"
           "    fix: load it again; put another file in its place by renaming it, not by writing "
           "into this one";
}

// Reads the last of the bytes in another process, after the file was cut off there. Returns how the
// process ended; its standard error goes to `errors`.
int end_of_reader(const fs::path& path, const fs::path& folder, const fs::path& errors) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        ::dup2(::open(errors.c_str(), O_WRONLY | O_CREAT, 0600), STDERR_FILENO);
        const ptp::engine::CrashReport crash(folder);
        MappedFile file(path);
        const volatile char* const begin = file.map(kSize);
        fs::resize_file(path, 1);
        ::_exit(begin[kSize - 1] == 'a' ? 1 : 2);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
}

}  // namespace

TEST_CASE("mapped file: nothing that is written into its memory reaches the file") {
    const ptp::test::TempFolder folder;
    MappedFile file(file_of(folder, 'a'));
    CHECK(file.map(kSize + 1) == nullptr);
    char* const begin = file.map(kSize);
    REQUIRE(begin != nullptr);
    CHECK(begin[kSize - 1] == 'a');
    begin[0] = 'x';
    CHECK(folder.read("weights") == std::string(kSize, 'a'));
    CHECK(error_of(file) == "");
}

TEST_CASE("mapped file: file systems of other machines and programs are known by their numbers") {
    using ptp::engine::is_of_this_machine;
    struct statfs here {};
    const ptp::test::TempFolder folder;
    REQUIRE(::statfs(folder.path().c_str(), &here) == 0);
    CHECK(is_of_this_machine(static_cast<std::uint32_t>(here.f_type)));
    for (const std::uint32_t local :
         {0xEF53U, 0x58465342U, 0x9123683EU, 0x01021994U, 0x794C7630U}) {
        CHECK(is_of_this_machine(local));  // ext4, XFS, btrfs, tmpfs, overlay
    }
    // NFS, SMB, SMB2, CIFS, FUSE, 9P, Ceph, Lustre, GPFS, AFS
    for (const std::uint32_t other :
         {0x6969U, 0x517BU, 0xFE534D42U, 0xFF534D42U, 0x65735546U, 0x01021997U, 0x00C36400U,
          0x0BD00BD0U, 0x47504653U, 0x6B414653U}) {
        CHECK_FALSE(is_of_this_machine(other));
    }
}

TEST_CASE("mapped file: another file may take its path, and it may be removed") {
    const ptp::test::TempFolder folder;
    const fs::path path = file_of(folder, 'a');
    MappedFile file(path);
    const char* const begin = file.map(kSize);
    REQUIRE(begin != nullptr);
    fs::rename(folder.write("other", std::string(1, 'b')), path);
    CHECK(std::string(begin, kSize) == std::string(kSize, 'a'));
    CHECK(error_of(file) == "");
    fs::remove(path);
    CHECK(std::string(begin, kSize) == std::string(kSize, 'a'));
    CHECK(error_of(file) == "");
}

TEST_CASE("mapped file: one that is written to or cut off is named, with the fix") {
    const ptp::test::TempFolder folder;
    const fs::path path = file_of(folder, 'a');
    const MappedFile written(path);
    std::fstream(path, std::ios::in | std::ios::out).put('b');
    CHECK(error_of(written) == changed(path));
    file_of(folder, 'a');
    const MappedFile cut(path);
    fs::resize_file(path, 1);
    CHECK(error_of(cut) == changed(path));
    CHECK_THROWS_WITH_AS(
        MappedFile(folder.path() / "none"),
        ((folder.path() / "none").string() + ": No such file or directory").c_str(), RunError);
}

TEST_CASE("mapped file: one that is cut off while its bytes are read is named before the end") {
    const ptp::test::TempFolder folder;
    const fs::path path = file_of(folder, 'a');
    const int end = end_of_reader(path, folder.path(), folder.path() / "errors");
    const std::string said =
        path.string() + ": cannot be read any more: it was cut off, or its disk fails (SIGBUS)";
    const std::string errors = "ptprun: error: " + said +
                               "\n    fix: put another file in its place by renaming it, not by "
                               "writing into this one\n";
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    CHECK(folder.read("errors").starts_with(errors));  // then the sanitizer's
    CHECK(end != 0);
#else
    CHECK(folder.read("errors") == errors);
    CHECK((WIFSIGNALED(end) && WTERMSIG(end) == SIGBUS));
#endif
    CHECK(folder.read("run.log") == errors);
    CHECK(folder.read("status.json").find('"' + said + '"') != std::string::npos);
}

}  // namespace mapped_file_test
