// SPDX-License-Identifier: GPL-2.0-only
// All-to-alls with unequal parts, as `nadi trace analyze` lists them: of a converted recording of
// PyTorch, whose calls all have one name.
#include "cli/command-parser.h"
#include "cli/commands.h"
#include "cli/trace/analyze-text.h"
#include "cli/trace/trace-analysis.h"
#include "tests/support/kineto-text.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

constexpr uint32_t EXCHANGING_LAYERS = 3;

/// A step of a rank of two: each layer has a product, sends its tokens to the experts, and has
/// another product; backward likewise. Modules tell the layers, and nothing else does.
class ExchangingStep
{
  public:
    /// `splits`: elements for each rank, of two bytes.
    explicit ExchangingStep(std::string splits)
        : m_splits(std::move(splits))
    {
    }

    std::string Make(uint32_t rank)
    {
        const double begin = m_now;
        for (uint32_t layer = 0; layer < EXCHANGING_LAYERS; ++layer)
        {
            const double start = m_now;
            AddLayer("aten::mm", "product", KinetoText::THREAD, [this] { return m_sequence++; });
            AddFrame("python_function", fmt::format("nn.Module: Block_{}", layer), start);
        }
        AddFrame("python_function", "nn.Module: Net_0", begin);
        AddFrame("user_annotation", "## forward ##", begin);
        for (uint32_t layer = 0; layer < EXCHANGING_LAYERS; ++layer)
        {
            AddLayer("autograd::engine::evaluate_function: MmBackward0",
                     "gradual",
                     KinetoText::THREAD + 1,
                     [this] { return --m_sequence; });
        }
        return m_text.Distributed(rank, 2).Text();
    }

  private:
    using Json = KinetoText::Json;

    void AddFrame(const std::string& category, const std::string& name, double begin)
    {
        m_text.Add(category, name, begin, m_now - begin, Json::object(), KinetoText::THREAD);
    }

    template <class Number>
    void AddLayer(const std::string& name,
                  const std::string& kernels,
                  int64_t thread,
                  const Number& number)
    {
        const auto step = [&](const std::string& kernel, const Json& call)
        {
            Json args{{"Sequence number", number()}};
            if (thread != KinetoText::THREAD)
            {
                args["Fwd thread id"] = 1;
            }
            ++m_correlation;
            m_text.Operator(name, m_now, 5, args, thread)
                .Call("cudaLaunchKernel", m_now + 1, 1, m_correlation, thread)
                .Kernel(kernel, m_now + 3, 2, m_correlation, 7, call);
            m_now += 5;
        };
        step(kernels + " in", Json::object());
        step("ncclDevKernel_SendRecv",
             {{"Collective name", "all_to_allv"},
              {"dtype", "BFloat16"},
              {"In msg nelems", 4},
              {"Out msg nelems", 4},
              {"In split size", m_splits},
              {"Out split size", "[2, 2]"},
              {"Process Group Name", "experts"},
              {"Process Group Ranks", "[0, 1]"}});
        step(kernels + " out", Json::object());
    }

    std::string m_splits;
    KinetoText m_text;
    double m_now = 10;
    uint64_t m_correlation = 0;
    uint64_t m_sequence = 0;
};

TraceAnalysis
AnalyzeExchangingRanks(const ScratchDirectory& scratch)
{
    scratch.Write("k.0.json", ExchangingStep("[1, 3]").Make(0));
    scratch.Write("k.1.json", ExchangingStep("[2, 2]").Make(1));
    const std::string out = (scratch.Path() / "converted").string();
    RunCommands({MakeTraceCommand()},
                {"trace",
                 "convert",
                 "--from",
                 "pytorch",
                 "--device",
                 (scratch.Path() / "k.{rank}.json").string(),
                 "--out",
                 out},
                {});
    return AnalyzeTraces({out}, "");
}

} // namespace

TEST_CASE("trace analyze: exchanges have the layer and direction of the structure, and bytes",
          "[unit][cli]")
{
    const ScratchDirectory scratch("exchanges-layers");
    const TraceAnalysis analysis = AnalyzeExchangingRanks(scratch);
    std::vector<std::pair<std::optional<uint32_t>, std::optional<bool>>> places;
    for (const ExpertExchange& exchange : analysis.exchanges)
    {
        CHECK(exchange.name == "ncclDevKernel_SendRecv");
        // 1 and 2 elements for rank 0, 3 and 2 for rank 1, of two bytes each.
        CHECK(exchange.received == std::vector<uint64_t>{6, 10});
        places.emplace_back(exchange.layer, exchange.isForward);
    }
    CHECK(places ==
          decltype(places){{0, true}, {1, true}, {2, true}, {2, false}, {1, false}, {0, false}});
    const std::string text = DescribeAnalysis(analysis, Style::Plain());
    CHECK(text.find("all-to-alls with unequal parts: bytes that the members received") !=
          std::string::npos);
    CHECK(text.find("10 B") != std::string::npos);
    const auto json = nlohmann::json::parse(FormatAnalysisJson(analysis));
    CHECK(json["exchanges"][3]["layer"] == 2);
    CHECK(json["exchanges"][3]["direction"] == "backward");
}

TEST_CASE("trace analyze: a median of no calls is null", "[unit][cli]")
{
    const ScratchDirectory scratch("exchanges-alone");
    const auto json = nlohmann::json::parse(FormatAnalysisJson(AnalyzeExchangingRanks(scratch)));
    for (const nlohmann::json& times : json["collectives"])
    {
        CHECK(times["transfer_alone_median_ns"] == 2000);
        CHECK(times["transfer_beside_median_ns"].is_null());
    }
}

TEST_CASE("trace analyze: long names of exchanges keep the end, which tells them apart",
          "[unit][cli]")
{
    TraceAnalysis analysis;
    for (const std::string end : {"dispatch", "dispatch gradient"})
    {
        ExpertExchange exchange;
        exchange.name = "iteration 0 micro-batch 0 layer 3 experts " + end;
        exchange.ranks = {0, 1};
        exchange.received = {1, 3};
        analysis.exchanges.push_back(exchange);
    }
    const std::string text = DescribeAnalysis(analysis, Style::Plain());
    CHECK(text.find("experts dispatch ") != std::string::npos);
    CHECK(text.find("dispatch gradient ") != std::string::npos);
}
