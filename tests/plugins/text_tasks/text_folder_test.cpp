// TextFolder: folders of texts, and texts without classes.

#include "text_task.hpp"

namespace text_folder_test {

namespace {

using ptp::test::TempFolder;
using Words = std::vector<std::string>;

constexpr const char* kName = "TextFolder";

// Two classes with three texts.
void write_reviews(const TempFolder& folder) {
    folder.write("good/b.txt", "I liked it.\nTwice.\n");
    folder.write("good/a.TXT", "Great");
    folder.write("bad/old/x.txt", "So long\r\n\r\nso dull");
    folder.write("bad/notes.md", "not a sample");
    folder.write("bad/.x.txt", "hidden");
    folder.write("bad/.old/x.txt", "hidden");
    folder.write(".trash/x.txt", "hidden");
    folder.write("README.txt", "not in a class");
}

test::Component build(const TempFolder& folder, const std::string& more = "") {
    return test::text_task(kName, test::in_folder(folder.path(), more));
}

std::string refusal(const TempFolder& folder, const std::string& more = "") {
    return test::text_refusal(folder.path(), kName, test::in_folder(folder.path(), more));
}

}  // namespace

TEST_CASE("TextFolder: classes and files come in the order of their names") {
    const TempFolder folder;
    write_reviews(folder);
    auto task = build(folder);
    REQUIRE(task.size() == 3);
    const test::Slots batch = task.fetch({2, 0, 1});
    CHECK(batch.at("inputs").strings() ==
          Words{"I liked it.\nTwice.\n", "So long\r\n\r\nso dull", "Great"});
    CHECK(batch.at("files").strings() == Words{"good/b.txt", "bad/old/x.txt", "good/a.TXT"});
    CHECK(batch.at("labels").strings() == Words{"good", "bad", "good"});
    CHECK(torch::equal(batch.at("targets").tensor(), test::integers({1, 0, 1})));
    CHECK(task.published().at("num_classes") == ptp::Data(2));
    CHECK(task.published().at("label_word_mappings").toml() == "{ bad = 0, good = 1 }");
    test::check_threads(task, "inputs");
}

TEST_CASE("TextFolder: a file beside the classes is left out by name, but not one about them") {
    const TempFolder folder;
    write_reviews(folder);
    folder.write("licence.txt", "not in a class");
    folder.write("License.txt", "not in a class");
    CHECK(build(folder).log_lines() ==
          Words{"2 files are left out: only files in the folders of classes that end with .txt are "
                "read (bad/notes.md, licence.txt)"});
}

TEST_CASE(
    "TextFolder: what systems write is ignored, and a README in a class is left out by name") {
    const TempFolder folder;
    write_reviews(folder);
    for (const char* name :
         {"good/Thumbs.db", "good/.DS_Store", "bad/desktop.ini", "__MACOSX/good/b.txt",
          "__pycache__/c.txt", "good/@eaDir/b.txt", "good/LICENSE"}) {
        folder.write(name, "not a sample");
    }
    folder.write("good/README.txt", "where these are from");
    auto task = build(folder);
    CHECK(task.size() == 3);
    CHECK(task.log_lines() ==
          Words{"1 file is left out: only files in the folders of classes that end with .txt are "
                "read (bad/notes.md); 1 file is left out as a description of the folder "
                "(good/README.txt): files of other names are read"});
}

TEST_CASE("TextFolder: folders whose names differ only in capitals are warned of, unless listed") {
    const TempFolder folder;
    for (const char* name : {"Cat/a.txt", "cat/a.txt", "dog/a.txt"}) {
        folder.write(name, "a text");
    }
    CHECK(build(folder).log_lines() ==
          Words{"the folders 'Cat' and 'cat' are two classes, and differ only in blanks or "
                "capitals; move the files into one of them, or list both in `classes`"});
    CHECK(build(folder, "classes = [\"Cat\", \"cat\", \"dog\"]").log_lines().empty());
}

TEST_CASE("TextFolder: `lines` makes each line a sample, but for blank ones") {
    const TempFolder folder;
    write_reviews(folder);
    auto task = build(folder, "lines = true");
    REQUIRE(task.size() == 5);
    const test::Slots batch = task.fetch({0, 1, 2, 3, 4});
    CHECK(batch.at("inputs").strings() ==
          Words{"So long", "so dull", "Great", "I liked it.", "Twice."});
    CHECK(batch.at("files").strings() == Words{"bad/old/x.txt:1", "bad/old/x.txt:3", "good/a.TXT:1",
                                               "good/b.txt:1", "good/b.txt:2"});
    CHECK(torch::equal(batch.at("targets").tensor(), test::integers({0, 0, 1, 1, 1})));
}

TEST_CASE("TextFolder: with binary a target is 1 for the second of two classes") {
    const TempFolder folder;
    write_reviews(folder);
    auto task = build(folder, "binary = true");
    CHECK(torch::equal(task.fetch({0, 1, 2}).at("targets").tensor(),
                       test::floats({0, 1, 1}, {3, 1})));
    folder.write("mixed/x.txt", "Well");
    CHECK(refusal(folder, "binary = true") ==
          "setting 'binary': needs two classes, and there are 3: 'bad', 'good', 'mixed'\n"
          "fix: remove binary, take CrossEntropyLoss, and let the last layer make num_classes "
          "scores");
}

TEST_CASE("TextFolder: `classes` sets which folders are read, and their numbers") {
    const TempFolder folder;
    write_reviews(folder);
    folder.write("mixed/x.txt", "Well");
    folder.write("notes/x.md", "no text");
    auto task = build(folder, "classes = [\"mixed\", \"bad\"]");
    CHECK(task.log_lines() ==
          Words{"1 file is left out: only files in the folders of classes that end with .txt are "
                "read (bad/notes.md); 1 folder is left out that `classes` does not list (good)"});
    CHECK(task.fetch({0, 1}).at("labels").strings() == Words{"mixed", "bad"});
    CHECK(torch::equal(task.fetch({0, 1}).at("targets").tensor(), test::integers({0, 1})));
    CHECK(refusal(folder, "classes = [\"bad\", \"ugly\"]") ==
          "ugly: no such folder, and `classes` names it\n"
          "    fix: name folders that are there in `classes` (good, mixed, notes)\n"
          "         or write incomplete = true in the task, where a class may have no files");
    CHECK(refusal(folder, "classes = [\"bad\", \"bad\"]") == "classes: 'bad' is listed twice");
    std::filesystem::create_directory(folder.path() / "empty");
    auto some = build(folder, "incomplete = true\nclasses = [\"ugly\", \"bad\", \"empty\"]");
    REQUIRE(some.size() == 1);
    CHECK(torch::equal(some.fetch({0}).at("targets").tensor(), test::integers({1})));
    CHECK(some.published().at("num_classes") == ptp::Data(3));
}

TEST_CASE("TextFolder: texts without classes are files and folders") {
    const TempFolder folder;
    folder.write("in/b.txt", "b");
    folder.write("in/a/c.txt", "c");
    folder.write("one.text", "one\ntwo\n");
    const std::string files = "files = [\"" + (folder.path() / "one.text").string() + "\", \"" +
                              (folder.path() / "in").string() + "\"]\n";
    auto task = test::text_task(kName, files);
    REQUIRE(task.size() == 3);
    const test::Slots batch = task.fetch({0, 1, 2});
    CHECK(batch.at("inputs").strings() == Words{"one\ntwo\n", "c", "b"});
    CHECK(batch.at("files").strings() == Words{"one.text", "in/a/c.txt", "in/b.txt"});
    CHECK_FALSE(batch.contains("targets"));
    CHECK_FALSE(batch.contains("labels"));
    CHECK_FALSE(task.published().contains("num_classes"));
    CHECK(test::text_task(kName, files + "lines = true").size() == 4);
}

TEST_CASE("TextFolder: a table among the files is warned of, as one sample") {
    const TempFolder folder;
    const std::string table = folder.write("t.csv", "review\ngood\nbad\n").string();
    const std::string files = "files = [\"" + table + "\"]\n";
    CHECK(test::text_task(kName, files).log_lines() ==
          Words{table +
                " is one sample, as each file is, and has the name of a table; texts that are one "
                "in each line of a file, without a header: ptprun predict RUN --data - < FILE"});
    CHECK(test::text_task(kName, files + "lines = true").log_lines().empty());
}

TEST_CASE("TextFolder: the vocabulary is that of the texts, of files and lines alike") {
    const TempFolder folder;
    write_reviews(folder);
    for (const char* lines : {"false", "true"}) {
        CAPTURE(lines);
        const auto task = build(folder, "vocabulary = true\nlines = " + std::string(lines));
        CHECK(task.published().at("word_mappings").toml() ==
              "{ So = 0, long = 1, so = 2, dull = 3, Great = 4, I = 5, liked = 6, \"it.\" = 7, "
              "\"Twice.\" = 8 }");
    }
    CHECK_FALSE(build(folder).published().contains("word_mappings"));
    const auto files = test::text_task(
        kName, "vocabulary = true\nfiles = \"" + (folder.path() / "good").string() + "\"");
    CHECK_FALSE(files.published().contains("word_mappings"));
}

TEST_CASE("TextFolder: a class without a file in the training is warned of, unless it is trained") {
    const TempFolder folder;
    folder.write("good/a.txt", "fine");
    const std::string listed = "classes = [\"good\", \"bad\"]\nincomplete = true";
    CHECK(build(folder, listed).log_lines() ==
          std::vector<std::string>{"`classes` lists 'bad', but " + folder.path().string() +
                                   " has no file of it: it cannot be learned; add files, or remove "
                                   "it from the list"});
    CHECK(build(folder, "classes = [\"good\"]\nincomplete = true").log_lines().empty());
}

TEST_CASE("TextFolder: what is missing or no text is named") {
    const TempFolder folder;
    CHECK(refusal(folder) ==
          folder.path().string() + ": has no folders; expected one for each class");
    folder.write("good/a.txt", "fine");
    folder.write("bad/a.md", "");
    CHECK(refusal(folder) ==
          "bad: has no files that end with .txt\n"
          "    fix: remove the folder, or put such files into it\n"
          "         or, where a class may have no files, write classes = [\"bad\", \"good\"] and "
          "incomplete = true in the task of each section");
    std::filesystem::create_directory(folder.path() / "ugly");
    CHECK(refusal(folder) ==
          "bad: has no files that end with .txt\nugly: has no files that end with .txt\n"
          "    fix: remove the folders, or put such files into them\n"
          "         or, where a class may have no files, write classes = [\"bad\", \"good\", "
          "\"ugly\"] and incomplete = true in the task of each section");
    CHECK(refusal(folder, "classes = [\"ugly\", \"good\"]") ==
          "ugly: has no files that end with .txt\n"
          "    fix: write incomplete = true in the task, where a class may have no files");
    std::filesystem::rename(folder.path() / "ugly", folder.path() / "so \"so\"");
    CHECK(refusal(folder).ends_with(
        "write classes = [\"bad\", \"good\", \"so \\\"so\\\"\"] and incomplete = true in the task "
        "of each section"));
    std::filesystem::remove(folder.path() / "so \"so\"");
    const TempFolder many;
    for (int i = 0; i < 21; ++i) {
        many.write("class" + std::to_string(i) + (i < 20 ? "/a.txt" : "/a.md"), "fine");
    }
    CHECK(refusal(many) ==
          "class20: has no files that end with .txt\n"
          "    fix: remove the folder, or put such files into it\n"
          "         or, where a class may have no files, list the names of all folders as classes, "
          "and write incomplete = true in the task of each section");
    // Each fix works.
    CHECK(build(folder, "incomplete = true\nclasses = [\"bad\", \"good\"]").size() == 1);
    std::filesystem::rename(folder.path() / "bad", folder.path().string() + "_removed");
    CHECK(build(folder).size() == 1);
    std::filesystem::rename(folder.path().string() + "_removed", folder.path() / "bad");
    folder.write("bad/a.txt", " \n");
    folder.write("bad/b.txt", "one\ntwo \xE2\x82\n");
    CHECK(
        refusal(folder) ==
        "bad/a.txt: has no words; write some, or remove the file\nbad/b.txt:2: is not valid UTF-8; convert it, as from Windows: iconv -f WINDOWS-1252 -t UTF-8 bad/b.txt > bad/b.utf8.txt && mv bad/b.utf8.txt bad/b.txt");
    CHECK(test::text_refusal(folder.path(), kName,
                             "files = \"" + (folder.path() / "none.txt").string() + "\"") ==
          "none.txt: no such file");
    CHECK(refusal(folder, "classes = [\"good\"]") == "accepted");
}

}  // namespace text_folder_test
