// CsvTable: columns that the table does not have, and those that are named twice.

#include "text_task.hpp"

namespace csv_columns_test {

using ptp::test::TempFolder;
using namespace test::csv;

TEST_CASE("CsvTable: samples to predict without the names of columns, or under others") {
    const TempFolder folder;
    const auto said = [&](const std::string& text) {
        const auto rows = folder.write("new.csv", text);
        return test::refusal(folder.path(), [&] {
            test::text_task(
                kName, "file = \"none.csv\"\nrows = \"" + rows.string() + "\"\ntext = \"review\"");
        });
    };
    const std::string is_none = "setting 'text': 'review' is not a column of new.csv, which has ";
    CHECK(said("A lovely film\nA bad one\n") ==
          is_none +
              "'A lovely film'\nfix: write review as the first line: above 'A lovely film' if that "
              "is a sample, else in place of it");
    CHECK(said("opinion,stars\nfine,3\n") ==
          is_none +
              "'opinion', 'stars'\nfix: add the column, which the training has, or rename the "
              "one that is it to 'review'");
}

TEST_CASE("CsvTable: all columns that are missing are named, and a separator that has them") {
    CHECK(refusal("a,b\n1,2\n", "features = [\"a\", \"c\", \"d\"]") ==
          "setting 'features': 'c', 'd' are not columns of t.csv, which has 'a', 'b'\nfix: add "
          "the columns, or write the names of those that are meant");
    CHECK(refusal("a,b\n1,2\n", "features = [\"*\"]") ==
          "setting 'features': '*' is not a column of t.csv, which has 'a', 'b'\nfix: list the "
          "columns by their names, or write type = \"Table\", whose features = \"*\" are all "
          "columns that are nothing else");
    CHECK(refusal("a,b,kind\n1,2,x\n", "features = [\"a\", \"bb\"]\nlabel = \"knid\"") ==
          "setting 'features': 'bb' is not a column of t.csv, which has 'a', 'b', 'kind'; nor is "
          "'knid' of `label`\nfix: write features = ['a', 'b'], label = 'kind'");
    CHECK(refusal("a,kind\n1,x\n", "features = [\"a\"]\nlabel = \"knid\"") ==
          "setting 'label': 'knid' is not a column of t.csv, which has 'a', 'kind'\n"
          "fix: write label = 'kind'");
    CHECK(refusal("a;b\n1;2\n", "features = [\"a\", \"b\"]") ==
          "setting 'features': 'a', 'b' are not columns of t.csv, whose first row, 'a;b', has no "
          "comma\nfix: set separator = \"semicolon\"");
    // Following the advice is enough.
    CHECK(refusal("a;b\n1;x\n", "features = [\"a\", \"b\"]\nseparator = \"semicolon\"") ==
          std::string("t.csv:2: the column 'b' has 'x', which is not a number\nfix: ") + kNumbers);
}

TEST_CASE("CsvTable: a column that is used already is not taken for one that is missing") {
    const std::string widths = "features = [\"sepal_width\", \"petal_width\"]\nlabel = \"kind\"";
    CHECK(refusal("sepal_width,kind\n1,x\n", widths) ==
          "setting 'features': 'petal_width' is not a column of t.csv, which has 'sepal_width', "
          "'kind'\nfix: add the column, or write the name of the one that is it");
    CHECK(refusal("sepal_width,petal_widht,kind\n1,2,x\n", widths) ==
          "setting 'features': 'petal_width' is not a column of t.csv, which has 'sepal_width', "
          "'petal_widht', 'kind'\nfix: write features = ['sepal_width', 'petal_widht']");
    const TempFolder folder;
    const auto predicted = [&](const std::string& text, const std::string& more) {
        const std::string rows = folder.write("new.csv", text).string();
        return test::refusal(folder.path(), [&] {
            test::text_task(kName, "file = \"none.csv\"\nrows = \"" + rows + "\"\n" + more);
        });
    };
    CHECK(predicted("sepal_width,petal_w,kind\n1,2,x\n", widths) ==
          "setting 'features': 'petal_width' is not a column of new.csv, which has 'sepal_width', "
          "'petal_w', 'kind'\nfix: add the column, which the training has, or rename the one that "
          "is it to 'petal_width'");
    CHECK(predicted("kinds,kind\n1,2\n", "features = [\"kink\", \"b\"]\nlabel = \"kind\"") ==
          "setting 'features': 'kink', 'b' are not columns of new.csv, which has 'kinds', "
          "'kind'\nfix: add the columns, which the training has, or rename those that are meant");
}

TEST_CASE("CsvTable: a column that is listed twice is refused") {
    for (const char* setting : {"features", "integers", "values"}) {
        CHECK(refusal("a,b\n1,2\n",
                      "text = \"b\"\n" + std::string(setting) + " = [\"a\", \"b\", \"a\"]") ==
              "setting '" + std::string(setting) + "': 'a' is listed twice\nfix: remove one");
    }
    CHECK(refusal("a,b\n1,2\n", "features = [\"a\"]\nintegers = [\"a\"]") == "accepted");
}

}  // namespace csv_columns_test
