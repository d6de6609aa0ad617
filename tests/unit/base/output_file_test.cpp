#include "base/output_file.hpp"

#include "base/sha256.hpp"
#include "support/temp_folder.hpp"
#include "support/texts.hpp"

#include <doctest/doctest.h>

#include <cerrno>
#include <filesystem>
#include <string>

namespace output_file_test {

using namespace ptp;
using ptp::test::error_of;
using ptp::test::TempFolder;

TEST_CASE("output file: one whose bytes have changed since the checkpoint is not continued") {
    const TempFolder folder;
    const auto file = folder.path() / "rows.csv";
    std::string hash;
    {
        OutputFile rows = OutputFile::create(file);
        rows.keep_hash();
        rows.write("a,1\n");
        rows.write("b,2\n");
        hash = rows.hash();
        rows.write("c,3\n");
    }
    CHECK(hash == sha256("a,1\nb,2\n"));
    {
        OutputFile rows = OutputFile::append(file, 8, hash);
        rows.write("d,4\n");
        CHECK(rows.hash() == sha256("a,1\nb,2\nd,4\n"));
    }
    CHECK(folder.read("rows.csv") == "a,1\nb,2\nd,4\n");
    folder.write("rows.csv", "a,7\nb,2\nd,4\n");
    CHECK(error_of([&] { OutputFile::append(file, 8, hash); }) ==
          "cannot continue with " + file.string() +
              ": its first 8 bytes are not those that were there when the checkpoint was written"
              "\n    fix: put the file back as it was; without it, ptprun replay RUN trains anew");
    CHECK(folder.read("rows.csv") == "a,7\nb,2\nd,4\n");
}

TEST_CASE("output file: that another program cuts or removes it is noticed") {
    const TempFolder folder;
    const auto file = folder.path() / "rows.csv";
    OutputFile rows = OutputFile::create(file);
    rows.write("a,1\n");
    CHECK(rows.disturbance().empty());
    std::filesystem::resize_file(file, 1);
    CHECK(rows.disturbance() == "has 1 bytes, but 4 were written: another program has changed it");
    std::filesystem::resize_file(file, 4);
    CHECK(rows.disturbance().empty());
    std::filesystem::rename(file, folder.path() / "rows.csv.1");
    CHECK(rows.disturbance() == "was removed or replaced by another program");
}

TEST_CASE("output file: that it was emptied is noticed after the next rows, which hide it") {
    const TempFolder folder;
    const auto file = folder.path() / "rows.csv";
    OutputFile rows = OutputFile::create(file);
    rows.write("a,1\n");
    std::filesystem::resize_file(file, 0);
    rows.write("b,2\n");
    CHECK(std::filesystem::file_size(file) == 8);
    CHECK(rows.disturbance() == "has 0 bytes, but 4 were written: another program has changed it");
}

TEST_CASE("output file: a link is not continued with, and what it leads to stays") {
    const TempFolder folder;
    const auto victim = folder.write("victim", "precious");
    std::filesystem::create_symlink(victim, folder.path() / "rows.csv");
    CHECK(error_of([&] { OutputFile::append(folder.path() / "rows.csv", 0); }) ==
          "cannot continue with " + (folder.path() / "rows.csv").string() +
              ": Too many levels of symbolic links"
              "\n    fix: put the file back as it was; without it, ptprun replay RUN trains anew");
    CHECK(folder.read("victim") == "precious");
}

TEST_CASE("output file: a text is read up to its limit") {
    const TempFolder folder;
    const auto file = folder.write("big", "");
    std::filesystem::resize_file(file, (16U << 20U) + 1);
    CHECK(error_of([&] { read_text(file, kMaxTableBytes); }) ==
          "cannot read " + file.string() + ": it is larger than 16 MiB");
    std::filesystem::resize_file(file, 16U << 20U);
    CHECK(read_text(file, kMaxTableBytes).size() == 16U << 20U);
}

TEST_CASE("output file: a full disk is no wrong configuration, a name that may not be written is") {
    CHECK(code_for_unwritable(ENOSPC) == kTrainingError);
    CHECK(code_for_unwritable(EDQUOT) == kTrainingError);
    CHECK(code_for_unwritable(EMFILE) == kTrainingError);
    CHECK(code_for_unwritable(EACCES) == kConfigurationError);
    CHECK(code_for_unwritable(ENOTDIR) == kConfigurationError);
}

}  // namespace output_file_test
