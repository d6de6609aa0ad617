// Files that are not text: what they are by their first bytes, and encodings of texts.

#include "support/temp_folder.hpp"

#include <text_file.hpp>

#include <ptp/error.hpp>

#include <doctest/doctest.h>

#include <string>

namespace file_kind_test {

namespace {

using namespace std::string_literals;
using ptp::support::Expected;
using ptp::test::TempFolder;

// Returns the error for a file with these bytes, with names relative to its folder.
std::string refusal(const std::string& name, const std::string& bytes,
                    Expected expected = Expected::kTable) {
    const TempFolder folder;
    try {
        ptp::support::read_text(folder.write(name, bytes), "", expected);
    } catch (const ptp::DataError& error) {
        std::string message = error.what();
        const std::string prefix = folder.path().string() + "/";
        for (auto at = message.find(prefix); at != std::string::npos; at = message.find(prefix)) {
            message.erase(at, prefix.size());
        }
        return message;
    }
    return "";
}

const std::string kTable = "; a table in text, such as CSV, is read here";
const std::string kText = "; a text in UTF-8 is read here";

}  // namespace

TEST_CASE("file kinds: an image, an archive or a document is named in place of its encoding") {
    CHECK(refusal("n.png", "\x89PNG\r\n\x1a\n\0\0"s) == "n.png: is a PNG image" + kTable);
    CHECK(refusal("n.csv", "\x89PNG\r\n\x1a\n\0\0"s, Expected::kText) ==
          "n.csv: is a PNG image" + kText);
    CHECK(refusal("n", "\xff\xd8\xff\xe0"s) == "n: is a JPEG image" + kTable);
    CHECK(refusal("n.gif", "GIF89a text"s) == "n.gif: is a GIF image" + kTable);
    CHECK(refusal("n.tif", "II*\0\x01"s) == "n.tif: is a TIFF image" + kTable);
    CHECK(refusal("n.webp", "RIFF\xff\xff\0\0WEBPVP8 "s) == "n.webp: is a WebP image" + kTable);
    CHECK(refusal("n.wav", "RIFF\xff\xff\0\0WAVEfmt "s) == "n.wav: is a sound or a video" + kTable);
    CHECK(refusal("n.pdf", "%PDF-1.4\n"s) == "n.pdf: is a PDF document" + kTable);
    CHECK(refusal("n.db", "SQLite format 3\0"s) == "n.db: is a database of SQLite" + kTable);
    CHECK(refusal("n",
                  "\x7f"
                  "ELF\x02\x01"s +
                      "\0"s) == "n: is a program" + kTable);
    CHECK(refusal("m.pt", "PK\x03\x04\0\0archive/data.pkl"s) ==
          "m.pt: is a file of PyTorch" + kTable);
    CHECK(refusal("m.npz", "PK\x03\x04\0\0x.npy"s) ==
          "m.npz: is a file of arrays of NumPy" + kTable);
    CHECK(refusal("m.npy", "\x93NUMPY\x01\0"s) == "m.npy: is an array of NumPy" + kTable);
}

TEST_CASE("file kinds: what can be converted has the command, with its names") {
    const auto python = [](const std::string& how, const std::string& name) {
        return "\nfix: python3 -c \"import pandas; pandas.read_" + how + "('" + name +
               "').to_csv('t.csv', index=False)\"";
    };
    CHECK(refusal("t.parquet", "PAR1\x15\0"s) ==
          "t.parquet: is a Parquet file" + kTable + python("parquet", "t.parquet"));
    CHECK(refusal("t.parquet", "PAR1\x15\0"s, Expected::kText) ==
          "t.parquet: is a Parquet file" + kText);
    CHECK(refusal("t.pkl", "\x80\x04\x95\0"s) ==
          "t.pkl: is a pickle of Python, which runs code when it is loaded" + kTable);
    CHECK(refusal("t.feather", "ARROW1\0\0"s) ==
          "t.feather: is a Feather file" + kTable + python("feather", "t.feather"));
    CHECK(refusal("t.h5", "\x89HDF\r\n\x1a\n"s) ==
          "t.h5: is an HDF5 file" + kTable + python("hdf", "t.h5"));
    const std::string convert = kTable + "\nfix: libreoffice --convert-to csv ";
    CHECK(refusal("my t.xlsx", "PK\x03\x04\0\0xl/workbook.xml"s) ==
          "my t.xlsx: is a spreadsheet" + convert + "'my t.xlsx'");
    CHECK(refusal("t.docx", "PK\x03\x04\0\0[Content_Types].xml"s) ==
          "t.docx: is a document or a spreadsheet" + convert + "t.docx");
    CHECK(refusal("t.xls", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"s) ==
          "t.xls: is an old spreadsheet or document of Office" + convert + "t.xls");
    CHECK(refusal("t.zip", "PK\x03\x04\0\0t.csv"s) ==
          "t.zip: is an archive of zip" + kTable + "\nfix: unzip t.zip");
    CHECK(refusal("t.csv.gz", "\x1f\x8b\x08\0"s) ==
          "t.csv.gz: is compressed by gzip" + kTable + "\nfix: gunzip -k t.csv.gz");
    CHECK(refusal("t.bz2", "BZh91AY"s) ==
          "t.bz2: is compressed by bzip2" + kTable + "\nfix: bunzip2 -k t.bz2");
    CHECK(refusal("t.xz",
                  "\xfd"
                  "7zXZ\0"s) == "t.xz: is compressed by xz" + kTable + "\nfix: unxz -k t.xz");
    CHECK(refusal("t.zst", "\x28\xb5\x2f\xfd\0"s) ==
          "t.zst: is compressed by zstd" + kTable + "\nfix: unzstd t.zst");
    CHECK(refusal("t.tar", "t.csv"s + std::string(252, '\0') + "ustar\0"s) ==
          "t.tar: is an archive of tar" + kTable + "\nfix: tar -xf t.tar");
}

TEST_CASE("file kinds: letters alone are a format only where the file is named so") {
    CHECK(refusal("t.csv", "PAR1,b\n1,2\n") == "");
    CHECK(refusal("t.csv", "GIF8,b\n1,2\n") == "");
    CHECK(refusal("t.txt", "%PDF-1.4 is how such a file begins\n", Expected::kText) == "");
}

TEST_CASE(
    "file kinds: iconv is named where the bytes may be text, from an encoding that has them") {
    CHECK(refusal("t.csv", "a\nM\xfcller\n") ==
          "t.csv:2: is not valid UTF-8; convert it, as from Windows: iconv -f WINDOWS-1252 -t "
          "UTF-8 t.csv > t.utf8.csv && mv t.utf8.csv t.csv");
    CHECK(refusal("t", "a\0\n\0b\0\n\0"s) ==
          "t:1: is not valid UTF-8; convert it, as from Windows: iconv -f UTF-16LE -t UTF-8 t > "
          "t.utf8 && mv t.utf8 t");
    CHECK(refusal("t.csv", "\0a\0\n\0b\0\n"s) ==
          "t.csv:1: is not valid UTF-8; convert it, as from Windows: iconv -f UTF-16BE -t UTF-8 "
          "t.csv > t.utf8.csv && mv t.utf8.csv t.csv");
    CHECK(refusal("t.csv", "a\n\x81\x8d\n") ==
          "t.csv:2: is not valid UTF-8, nor WINDOWS-1252; convert it from its encoding, one of "
          "iconv -l");
    CHECK(refusal("t.csv", "a\n\xff\x01\n") ==
          "t.csv:2: is not text: it has the byte 0x01; a table in text, such as CSV, is read here");
}

}  // namespace file_kind_test
