// SPDX-License-Identifier: GPL-2.0-only
#include "common/check.h"
#include "common/error.h"
#include "common/registry.h"
#include "tests/support/config-error-text.h"

#include <catch2/catch.hpp>

#include <memory>
#include <string>
#include <vector>

using namespace nadi;

namespace
{

struct Fruit
{
    virtual ~Fruit() = default;
    virtual Bytes Weight() const = 0;
};

struct Plum : Fruit
{
    static constexpr const char* Help = "small";

    Bytes Weight() const override
    {
        return Bytes(1);
    }
};

struct Melon : Fruit
{
    static constexpr const char* Help = "as heavy as you like";

    static std::vector<ParameterSpec> ParameterSpecs()
    {
        return {{"weight", ParameterKind::Size, "3 KB", "how heavy"}};
    }

    explicit Melon(const Parameters& parameters)
        : m_weight(parameters.Get<Bytes>("weight"))
    {
    }

    Bytes Weight() const override
    {
        return m_weight;
    }

    Bytes m_weight;
};

NADI_REGISTER(Fruit, Plum, "plum");
NADI_REGISTER(Fruit, Melon, "melon");

} // namespace

TEST_CASE("Registry: lists the names in alphabetical order", "[unit][common]")
{
    CHECK(Registry<Fruit>::Instance().Names() == std::vector<std::string>{"melon", "plum"});
    CHECK(Registry<Fruit>::Instance().Find("plum")->help == "small");
    CHECK(Registry<Fruit>::Instance().Find("pear") == nullptr);
}

TEST_CASE("Registry: a component is made from its parameters or their defaults", "[unit][common]")
{
    const Registry<Fruit>& registry = Registry<Fruit>::Instance();
    CHECK(registry.Make("plum")->Weight() == Bytes(1));
    CHECK(registry.Make("melon")->Weight() == Bytes(3000));
    CHECK(registry.Make({"melon", {{"weight", "7 B"}}})->Weight() == Bytes(7));
}

TEST_CASE("Registry: what is not registered is an error with a suggestion", "[unit][common]")
{
    const auto errorOf = [](const ComponentChoice& choice)
    { return ConfigErrorText([&] { Registry<Fruit>::Instance().Make(choice); }); };
    CHECK(errorOf("melan") == "there is no melan (did you mean melon?)");
    CHECK(errorOf({"melon", {{"wieght", "7 B"}}}) ==
          "unknown parameter \"wieght\" (did you mean weight?)");
    CHECK(errorOf({"melon", {{"weight", "7"}}}) ==
          "weight: \"7\" has no unit; write \"7 B\" or \"7 KiB\"");
}

TEST_CASE("Registry: a name twice is a bug", "[unit][common]")
{
    Registry<Fruit> registry;
    registry.Add({{"plum", "", {}}, {}});
    CHECK_THROWS_AS(registry.Add({{"plum", "", {}}, {}}), CheckFailure);
}

TEST_CASE("NADI_CHECK: names the file and the condition that does not hold", "[unit][common]")
{
    const auto fail = [] { NADI_CHECK(1 + 1 == 3); };
    CHECK_THROWS_WITH(fail(),
                      Catch::EndsWith("does not hold: 1 + 1 == 3") &&
                          Catch::Contains("registry-test.cc:"));
    CHECK_NOTHROW([] { NADI_CHECK(1 + 1 == 2); }());
}

TEST_CASE("ConfigError: reads as place, then problem", "[unit][common]")
{
    const ConfigError error("dgx.yaml:12", "wrong; right");
    CHECK(std::string(error.what()) == "dgx.yaml:12: wrong; right");
    CHECK(error.Where() == "dgx.yaml:12");
    CHECK(error.Problem() == "wrong; right");
    CHECK(std::string(ConfigError("", "wrong").what()) == "wrong");
}
