// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/requests-section.h"

#include "common/text.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string_view>

namespace nadi
{

namespace
{

using LengthKind = LengthDistribution::Kind;
using Process = ArrivalOptions::Process;

const std::string EXPECTED_RATE = "requests in a time, such as 20 /s or 90 /min";

/// "20 /s", in requests a second.
std::optional<double>
ParseRequestRate(std::string_view text)
{
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
    unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
    if (error != std::errc{} || !(number > 0) || !std::isfinite(number))
    {
        return std::nullopt;
    }
    if (unit == "/s")
    {
        return number;
    }
    return unit == "/min" ? std::optional(number / 60) : std::nullopt;
}

/// A rate is written back in requests a second, with as many digits as it takes to read the same
/// number again.
Codec<double>
MakeRequestRateCodec()
{
    Codec<double> codec;
    codec.schema = []
    {
        return Json{{"title", "requests in a time"},
                    {"type", "string"},
                    {"pattern", "^[0-9]+(\\.[0-9]+)? *(/s|/min)$"},
                    {"examples", {"20 /s"}}};
    };
    codec.read = [](const ConfigNode& node)
    {
        const std::string& text = node.Scalar(EXPECTED_RATE);
        const std::optional<double> rate = ParseRequestRate(text);
        if (!rate)
        {
            node.Fail("\"" + text + "\" is not valid; write " + EXPECTED_RATE);
        }
        return *rate;
    };
    codec.write = [](const double& rate) { return Json(fmt::format("{} /s", rate)); };
    return codec;
}

/// Each key but `distribution` is of some distributions only. A section cannot say so:
/// CheckDrawnLength does.
Section
DescribeDrawnLength(LengthDistribution& length)
{
    const Codec<uint64_t> tokens = MakeNumberCodec(1, LengthDistribution::MOST);
    return {
        MakeRequiredField("distribution",
                          length.kind,
                          MakeChoiceCodec<LengthKind>({{"uniform", LengthKind::Uniform},
                                                       {"exponential", LengthKind::Exponential},
                                                       {"lognormal", LengthKind::Lognormal}}),
                          "The distribution of the number of tokens."),
        MakeField("mean",
                  length.mean,
                  MakeFactorCodec(),
                  "The mean, of an exponential or lognormal distribution."),
        MakeField("sigma",
                  length.sigma,
                  MakeFactorCodec(),
                  "The standard deviation of the logarithm, of a lognormal distribution."),
        MakeField("min", length.least, tokens, "The least, of a uniform distribution."),
        MakeField("max", length.most, tokens, "The most, of a uniform distribution."),
    };
}

/// Throws ConfigError at a key that the distribution does not have, or for one that it lacks.
void
CheckDrawnLength(const ConfigNode& node, const LengthDistribution& length)
{
    const auto check = [&](const char* key, bool isUsed, bool isNeeded)
    {
        const ConfigNode* const given = node.Find(key);
        if (given != nullptr && !isUsed)
        {
            given->FailAtKey("has no effect with this distribution; remove it");
        }
        if (given == nullptr && isNeeded)
        {
            node.Fail(std::string("key \"") + key + "\" is missing; write a number of tokens");
        }
    };
    // `sigma` and `min` may be left out: they are 1 then.
    const bool isUniform = length.kind == LengthKind::Uniform;
    check("mean", !isUniform, !isUniform);
    check("sigma", length.kind == LengthKind::Lognormal, false);
    check("min", isUniform, false);
    check("max", isUniform, isUniform);
    if (isUniform && length.least > length.most)
    {
        node.Find("max")->Fail(
            fmt::format("is below min, {}; write a larger number", length.least));
    }
}

/// A number, or a distribution.
Codec<LengthDistribution>
MakeLengthCodec()
{
    const Codec<uint64_t> constant = MakeNumberCodec(1, LengthDistribution::MOST);
    const Codec<LengthDistribution> drawn =
        MakeMappingCodec<LengthDistribution>(&DescribeDrawnLength);
    Codec<LengthDistribution> codec;
    codec.schema = [constant, drawn] {
        return Json{{"anyOf", Json::array({constant.schema.Get(), drawn.schema.Get()})}};
    };
    codec.read = [constant, drawn](const ConfigNode& node) -> LengthDistribution
    {
        if (node.kind != ConfigNode::Kind::Map)
        {
            return {.mean = static_cast<double>(constant.read(node))};
        }
        const LengthDistribution length = drawn.read(node);
        CheckDrawnLength(node, length);
        return length;
    };
    codec.write = [constant](const LengthDistribution& length)
    {
        switch (length.kind)
        {
        case LengthKind::Constant:
            // A constant was read as a whole number, so nothing is cut off.
            return constant.write(static_cast<uint64_t>(length.mean));
        case LengthKind::Uniform:
            return Json{{"distribution", "uniform"}, {"min", length.least}, {"max", length.most}};
        case LengthKind::Exponential:
            return Json{{"distribution", "exponential"}, {"mean", length.mean}};
        default:
            return Json{
                {"distribution", "lognormal"}, {"mean", length.mean}, {"sigma", length.sigma}};
        }
    };
    return codec;
}

/// Left out of the effective configuration where it has no effect.
/// CheckRequests refuses keys without effect, so an effective configuration that had them could not
/// be read again.
template <class T>
Field
OnlyWith(Field field, const ArrivalOptions& requests, T isUsed)
{
    field.write = [write = field.write, &requests, isUsed]() -> std::optional<Json>
    { return isUsed(requests) ? write() : std::nullopt; };
    return field;
}

bool
IsOpen(const ArrivalOptions& requests)
{
    return requests.process != Process::Closed;
}

bool
IsClosed(const ArrivalOptions& requests)
{
    return !IsOpen(requests);
}

bool
HasRate(const ArrivalOptions& requests)
{
    // The default, 0, stands for no rate, and the codec would refuse to read it back.
    return IsOpen(requests) && requests.rate > 0;
}

bool
IsGamma(const ArrivalOptions& requests)
{
    return requests.process == Process::Gamma;
}

Section
DescribePrefix(ArrivalOptions& requests)
{
    return {MakeField("tokens",
                      requests.prefixTokens,
                      MakeNumberCodec(0, LengthDistribution::MOST),
                      "How many tokens at the begin of their prompts the requests of a group have "
                      "in common."),
            MakeField("groups",
                      requests.prefixGroups,
                      MakeNumberCodec(1, LengthDistribution::MOST),
                      "The number of groups; each request belongs to one that is drawn.")};
}

Section
DescribeRequests(ArrivalOptions& requests)
{
    return {
        MakeField(
            "arrivals",
            requests.process,
            MakeChoiceCodec<Process>({{"poisson", Process::Poisson},
                                      {"gamma", Process::Gamma},
                                      {"constant", Process::Constant},
                                      {"closed", Process::Closed}}),
            "When requests arrive: at random (poisson), at random with bursts (gamma), at "
            "equal distances (constant), or each after the answer to the one before (closed)."),
        OnlyWith(WithExample(MakeField("rate",
                                       requests.rate,
                                       MakeRequestRateCodec(),
                                       "How many requests arrive in a time, in the mean. All "
                                       "arrivals but closed ones need it."),
                             "20 /s"),
                 requests,
                 &HasRate),
        OnlyWith(
            WithExample(MakeField("cv",
                                  requests.variation,
                                  MakeFactorCodec(),
                                  "The coefficient of variation of the gaps of gamma arrivals; "
                                  "above 1 requests come in bursts."),
                        2.0),
            requests,
            &IsGamma),
        OnlyWith(MakeField("users",
                           requests.users,
                           MakeNumberCodec(1, LengthDistribution::MOST),
                           "The users of closed arrivals, each of whom waits for an answer."),
                 requests,
                 &IsClosed),
        OnlyWith(MakeField("think",
                           requests.think,
                           MakeTimeCodec(),
                           "How long a user of closed arrivals takes from an answer to the next "
                           "request."),
                 requests,
                 &IsClosed),
        MakeField("count",
                  requests.count,
                  MakeNumberCodec(1, uint64_t{1} << 40),
                  "How many requests there are."),
        WithExample(MakeField("input",
                              requests.input,
                              MakeLengthCodec(),
                              "The tokens of a prompt: a number, or a distribution."),
                    512),
        WithExample(MakeField("output",
                              requests.output,
                              MakeLengthCodec(),
                              "The tokens of an answer: a number, or a distribution."),
                    {{"distribution", "lognormal"}, {"mean", 200}, {"sigma", 1.0}}),
        MakeSectionField("prefix", DescribePrefix(requests), "What prompts have in common."),
    };
}

void
CheckRequests(const ConfigNode& node, const ArrivalOptions& requests)
{
    const auto refuse = [&](const char* key, bool isUsed, const char* only)
    {
        const ConfigNode* const given = node.Find(key);
        if (given != nullptr && !isUsed)
        {
            given->FailAtKey(std::string("has an effect with arrivals: ") + only +
                             " only; remove it");
        }
    };
    refuse("rate", IsOpen(requests), "poisson, gamma or constant");
    refuse("cv", IsGamma(requests), "gamma");
    refuse("users", IsClosed(requests), "closed");
    refuse("think", IsClosed(requests), "closed");
    // The codec refuses 0, so 0 is the default of a rate that nobody gave.
    if (IsOpen(requests) && requests.rate <= 0)
    {
        node.Fail("key \"rate\" is missing; write " + EXPECTED_RATE);
    }
}

Codec<ArrivalOptions>
MakeDrawnCodec()
{
    Codec<ArrivalOptions> codec = MakeMappingCodec<ArrivalOptions>(&DescribeRequests);
    codec.read = [read = codec.read](const ConfigNode& node)
    {
        const ArrivalOptions value = read(node);
        CheckRequests(node, value);
        return value;
    };
    return codec;
}

Section
DescribeRequestTrace(RequestTraceOptions& trace)
{
    return {
        WithExample(
            MakeRequiredField("trace",
                              trace.file,
                              MakePathCodec(),
                              "A file of recorded requests: CSV of Azure's LLM inference traces, "
                              "BurstGPT, Vidur or Splitwise-sim, or JSON lines of Mooncake or "
                              "LLMServingSim."),
            "requests.csv"),
        MakeField("speed",
                  trace.speed,
                  MakeFactorCodec(),
                  "How much faster requests arrive than they were recorded."),
        MakeField("limit",
                  trace.limit,
                  MakeOptionalCodec("all", MakeNumberCodec(1, uint64_t{1} << 40)),
                  "How many requests of the file are served: all, or the first ones."),
    };
}

} // namespace

Field
MakeRequestsField(ServeOptions& serve)
{
    const Codec<ArrivalOptions> drawn = MakeDrawnCodec();
    const Codec<RequestTraceOptions> recorded =
        MakeMappingCodec<RequestTraceOptions>(&DescribeRequestTrace);
    Field field;
    field.name = "requests";
    field.help = "When requests arrive, how many, and how long they are: drawn, or from a file.";
    field.isRequired = true;
    field.schema = [drawn, recorded] {
        return Json{{"anyOf", Json::array({drawn.schema.Get(), recorded.schema.Get()})}};
    };
    field.read = [&serve, drawn, recorded](const ConfigNode& node)
    {
        // `trace` tells the two forms apart. The section of the form then refuses all keys that are
        // not its own.
        if (node.Find("trace") != nullptr)
        {
            serve.requestTrace = recorded.read(node);
            return;
        }
        serve.requests = drawn.read(node);
    };
    field.write = [&serve, drawn, recorded]() -> std::optional<Json> {
        return serve.requestTrace ? recorded.write(*serve.requestTrace)
                                  : drawn.write(serve.requests);
    };
    return WithExample(std::move(field),
                       {{"arrivals", "poisson"}, {"rate", "20 /s"}, {"count", 1000}});
}

} // namespace nadi
