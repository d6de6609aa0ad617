#include "engine/pretrained/pickle.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace pickle_test {

using namespace ptp::engine;
using namespace std::string_literals;

namespace {

const std::set<std::string_view> kAllowed = {"collections.OrderedDict", "m.f"};

Pickle read(std::string_view bytes) {
    return {bytes, kAllowed};
}

}  // namespace

TEST_CASE("pickle: numbers are what Python's pickle.dumps() wrote") {
    struct Case {
        std::string bytes;
        std::int64_t number;
    };
    // pickle.dumps(number, 2)
    const Case cases[] = {{"\x80\x02K\x07."s, 7},
                          {"\x80\x02M\xe8\x03."s, 1000},
                          {"\x80\x02J\xff\xff\xff\xff."s, -1},
                          {"\x80\x02\x8a\x05\x00\x00\x00\x00\x01."s, 4294967296},
                          {"\x80\x02\x8a\x05\x00\x00\x00\x00\xff."s, -4294967296},
                          {"\x80\x02\x8a\x00."s, 0},
                          {"\x80\x02\x88."s, 1},
                          {"\x80\x02\x89."s, 0}};
    for (const Case& c : cases) {
        const Pickle pickle = read(c.bytes);
        CHECK(pickle.root().integer == c.number);
        CHECK(pickle.size() == c.bytes.size());
    }
    CHECK(read("\x80\x02G?\xe0\x00\x00\x00\x00\x00\x00."s).root().real == 0.5);
    CHECK((read("N."s).root().kind == PickleKind::kNone));
}

TEST_CASE("pickle: containers, with values that are used twice, as protocols 2 and 4 write them") {
    // x = "ab"; pickle.dumps({x: [1, x], "t": (1, 2, 3, 4)}, 2)
    const std::string two =
        "\x80\x02}q\x00(X\x02\x00\x00\x00"
        "abq\x01]q\x02(K\x01h\x01"
        "eX\x01\x00\x00\x00tq\x03(K\x01K\x02K\x03K\x04tq\x04u."s;
    // the same with protocol 4
    const std::string four =
        "\x80\x04\x95\x1c\x00\x00\x00\x00\x00\x00\x00}\x94(\x8c\x02"
        "ab\x94]\x94(K\x01h\x01"
        "e\x8c\x01t\x94(K\x01K\x02K\x03K\x04t\x94u."s;
    for (const std::string& bytes : {two, four}) {
        const Pickle pickle = read(bytes);
        const auto& root = pickle.root();
        REQUIRE((root.kind == PickleKind::kDict));
        REQUIRE(root.items.size() == 4);
        CHECK(root.items[0]->text == "ab");
        REQUIRE(root.items[1]->items.size() == 2);
        CHECK(root.items[1]->items[1] == root.items[0]);
        CHECK(root.items[3]->items.size() == 4);
        CHECK(root.items[3]->items[3]->integer == 4);
    }
}

TEST_CASE("pickle: calls are described and not made; an ordered dictionary is a dictionary") {
    const Pickle call = read("cm\nf\n(K\x01K\x02tR."s);
    REQUIRE((call.root().kind == PickleKind::kCall));
    CHECK(call.root().calls("m.f"));
    CHECK(call.root().items[1]->items[1]->integer == 2);
    // with an attribute, as a state dictionary has it
    const Pickle dict = read(
        "ccollections\nOrderedDict\n)R(U\x01"
        "aK\x05u}U\x01mK\x01sb."s);
    REQUIRE((dict.root().kind == PickleKind::kDict));
    REQUIRE(dict.root().items.size() == 2);
    CHECK(dict.root().items[1]->integer == 5);
    // Python 2 gives its items as arguments
    const Pickle old = read(
        "ccollections\nOrderedDict\n]]U\x01"
        "aaK\x05"
        "aa\x85R."s);
    REQUIRE(old.root().items.size() == 2);
    CHECK(old.root().items[0]->text == "a");
}

TEST_CASE("pickle: what PyTorch keeps elsewhere is listed") {
    const Pickle pickle = read(
        "(U\x01"
        "aQU\x01"
        "bQt."s);
    REQUIRE(pickle.outside().size() == 2);
    CHECK(pickle.outside()[1]->items[0]->text == "b");
}

TEST_CASE("pickle: what is not on the list is refused by its name") {
    CHECK_THROWS_WITH_AS(read("cposix\nsystem\n(U\x02lstR."s),
                         "holds a whole object, a 'posix.system', which is not read, since reading "
                         "it would run it: in Python, torch.save(model.state_dict(), "
                         "\"weights.pth\") writes one that can be",
                         PickleError);
    CHECK_THROWS_WITH_AS(read("}U\x01xU\x05posixU\x06system\x93)Rs."s),
                         "holds a 'posix.system'; only tensors, numbers, texts, lists and "
                         "dictionaries are read, since reading anything else would run it: in "
                         "Python, torch.save(model.state_dict(), \"weights.pth\") writes one that "
                         "can be",
                         PickleError);
}

TEST_CASE("pickle: damaged ones are refused, with what is wrong") {
    struct Case {
        std::string bytes;
        const char* problem;
    };
    const Case cases[] = {
        {"", "ends too early"},
        {"\x80"s, "ends too early"},
        {"K\x01"s, "ends too early"},
        {"X\xff\xff\xff\xff"s, "ends too early"},
        {"\x8d\xff\xff\xff\xff\xff\xff\xff\xff"s, "ends too early"},
        {"cabc", "ends too early"},
        {"\x80\x09."s, "has the protocol 9, known are 2 to 5"},
        {".", "takes a value where there is none"},
        {"K\x01(."s, "takes a value where there is none"},
        {"(K\x01\x86."s, "takes a value where there is none"},
        {"e.", "takes a value where there is none"},
        {"h\x05."s, "takes a value where there is none"},
        {"NNa.", "puts a value into something that is not a container"},
        {"}(Nu.", "puts a value into something that is not a container"},
        {"N)R.", "calls something that is not a function"},
        {"cm\nf\nNR.", "calls something that is not a function"},
        {"NNb.", "gives attributes to something that cannot have any"},
        {"ccollections\nOrderedDict\n]Na\x85R."s, "has a malformed dictionary"},
        {"i", "has the instruction 0x69, which PyTorch does not write"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.bytes);
        CHECK_THROWS_WITH_AS(read(c.bytes), c.problem, PickleError);
    }
}

TEST_CASE("pickle: a small one cannot describe more than memory holds") {
    const std::string values(4'000'001, 'N');
    CHECK_THROWS_WITH_AS(read(values + "."), "describes more values than weights need",
                         PickleError);
    // A list of 1000 pairs, made into a dictionary again and again.
    std::string pairs = "](";
    for (int i = 0; i < 1000; ++i) {
        pairs += "NN\x86"s;
    }
    pairs += "eq\x01"s;
    for (int i = 0; i < 4001; ++i) {
        pairs += "ccollections\nOrderedDict\nh\x01\x85R0"s;
    }
    CHECK_THROWS_WITH_AS(read(pairs + "N."), "describes more values than weights need",
                         PickleError);
}

TEST_CASE("pickle: a list that contains itself ends") {
    const Pickle pickle = read(
        "]q\x01h\x01"
        "a."s);
    CHECK(pickle.root().items[0] == &pickle.root());
}

}  // namespace pickle_test
