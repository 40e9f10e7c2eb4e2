// SPDX-License-Identifier: GPL-2.0-only
// Random jobs with a mistake in them: a check has an error exactly when a run does not finish.
#include "common/error.h"
#include "common/hash.h"
#include "tests/support/case-count.h"
#include "tests/support/job-bench.h"
#include "tests/support/random-job.h"
#include "tests/support/scratch-directory.h"
#include "workload/document/node-attributes.h"
#include "workload/document/trace-document.h"
#include "workload/tools/inspection/trace-check.h"
#include "workload/trace/trace-set.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <map>

namespace nadi::test
{

namespace
{

constexpr uint32_t DAMAGE_KINDS = 8;

/// Makes one mistake in one trace of a job.
class JobDamage
{
  public:
    JobDamage(TraceDocument& document, uint64_t seed)
        : m_document(document)
        , m_seed(seed)
    {
    }

    void Apply(uint32_t kind)
    {
        switch (kind)
        {
        case 0:
            return;
        case 1:
            return DropNode();
        case 2:
            return ChangeNumber(NodeAttribute::CommunicationSize);
        case 3:
            return ChangeNumber(NodeAttribute::Tag);
        case 4:
            return ChangeNumber(NodeAttribute::CollectiveType);
        case 5:
            return SwapCalls();
        case 6:
            return DropDependency();
        default:
            return AddDependency();
        }
    }

  private:
    using Node = ChakraProtoMsg::Node;

    uint64_t Pick(uint64_t purpose, uint64_t count) const
    {
        return Hash64({m_seed, purpose}) % count;
    }

    /// A node of which the predicate holds; null without any.
    template <class Predicate>
    Node* PickNode(uint64_t purpose, Predicate isWanted)
    {
        std::vector<Node*> nodes;
        for (Node& node : m_document.nodes)
        {
            if (isWanted(node))
            {
                nodes.push_back(&node);
            }
        }
        return nodes.empty() ? nullptr : nodes[Pick(purpose, nodes.size())];
    }

    static bool Communicates(const Node& node)
    {
        return node.type() != ChakraProtoMsg::COMP_NODE;
    }

    void DropNode()
    {
        if (!m_document.nodes.empty())
        {
            const uint64_t at = Pick(1, m_document.nodes.size());
            m_document.nodes.erase(m_document.nodes.begin() + static_cast<std::ptrdiff_t>(at));
        }
    }

    void ChangeNumber(NodeAttribute meaning)
    {
        Node* const node = PickNode(2,
                                    [meaning](const Node& candidate)
                                    { return FindAttribute(candidate, meaning) != nullptr; });
        if (node != nullptr)
        {
            const int64_t old = *ToInteger(GetAttribute(*node, meaning));
            const int64_t next = meaning == NodeAttribute::CollectiveType ? (old + 2) % 7 : old + 1;
            SetNumber(*node, meaning, next);
        }
    }

    void SwapCalls()
    {
        Node* const one = PickNode(3, Communicates);
        Node* const other = PickNode(4, Communicates);
        if (one != nullptr && one != other)
        {
            const ChakraProtoMsg::NodeType type = one->type();
            one->set_type(other->type());
            other->set_type(type);
            one->mutable_attr()->Swap(other->mutable_attr());
        }
    }

    void DropDependency()
    {
        Node* const node =
            PickNode(5, [](const Node& candidate) { return candidate.data_deps_size() > 0; });
        if (node != nullptr)
        {
            node->mutable_data_deps()->RemoveLast();
        }
    }

    void AddDependency()
    {
        Node* const node = PickNode(6, [](const Node&) { return true; });
        Node* const parent = PickNode(7, [](const Node&) { return true; });
        if (node != nullptr)
        {
            node->add_data_deps(parent->id());
        }
    }

    TraceDocument& m_document;
    uint64_t m_seed;
};

void
Rewrite(const std::string& path, const TraceDocument& document)
{
    std::ofstream(path, std::ios::binary) << FormatDocument(document);
}

/// Puts the nodes of each rank on one of two streams, on which each waits for the one before it. In
/// most jobs that is one more way in which ranks wait for each other.
void
PutOnStreams(const std::vector<std::string>& files, uint64_t seed)
{
    for (uint64_t rank = 0; rank < files.size(); ++rank)
    {
        TraceDocument document = ReadDocument(files[rank]);
        for (ChakraProtoMsg::Node& node : document.nodes)
        {
            const uint64_t stream = Hash64({seed, 5, rank, node.id()});
            SetNumber(node, NodeAttribute::Stream, static_cast<int64_t>(stream % 2));
        }
        Rewrite(files[rank], document);
    }
}

bool
Finishes(const TraceOptions& options)
{
    try
    {
        JobBench bench(ReadTraces(options));
        bench.Run();
        return bench.Engine().IsFinished();
    }
    catch (const ConfigError&)
    {
        return false;
    }
    catch (const JobError&)
    {
        return false;
    }
}

} // namespace

TEST_CASE("a check of a damaged job has an error exactly when a run does not finish",
          "[unit][trace-tools]")
{
    const uint32_t cases = CaseCount{.reduced = 200, .normal = 800, .full = 10'000}.Pick();
    const ScratchDirectory scratch("damaged-jobs");
    std::map<std::pair<uint32_t, bool>, uint32_t> outcomes; // kind, finished -> cases
    for (uint64_t seed = 0; seed < cases; ++seed)
    {
        const auto ranks = static_cast<uint32_t>(2 + Hash64({seed, 1}) % 4);
        RandomJob(ranks, seed).Write(scratch, 6 + static_cast<uint32_t>(Hash64({seed, 2}) % 10));
        std::vector<std::string> files;
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            files.push_back((scratch.Path() / fmt::format("job.{}.et", rank)).string());
        }
        const auto kind = static_cast<uint32_t>(Hash64({seed, 3}) % DAMAGE_KINDS);
        const std::string& damaged = files[Hash64({seed, 4}) % ranks];
        if (kind != 0 && seed % 3 == 0)
        {
            PutOnStreams(files, seed);
        }
        TraceDocument document = ReadDocument(damaged);
        JobDamage(document, seed).Apply(kind);
        Rewrite(damaged, document);

        TraceOptions options;
        options.pattern = (scratch.Path() / "job.{rank}.et").string();
        options.ranks = ranks;
        options.groupsFile = (scratch.Path() / "groups.json").string();
        const bool isFinished = Finishes(options);
        const TraceCheck check = CheckTraces(files, options.groupsFile);
        INFO("seed " << seed << ", kind " << kind << ", " << damaged);
        INFO((check.findings.empty() ? "no finding" : DescribeFinding(check.findings.front())));
        CHECK((check.Count(Severity::Error) == 0) == isFinished);
        ++outcomes[{kind, isFinished}];
        for (const std::string& file : files)
        {
            std::filesystem::remove(file);
        }
    }
    // The cases are not all of one kind: damage keeps many jobs from finishing and leaves many
    // whole.
    CHECK(outcomes[{0, false}] == 0);
    for (const uint32_t kind : {0U, 1U, 2U, 3U, 5U, 6U, 7U})
    {
        INFO("kind " << kind);
        CHECK(outcomes[{kind, true}] > 0);
    }
    for (const uint32_t kind : {1U, 2U, 3U, 4U, 5U, 7U})
    {
        INFO("kind " << kind);
        CHECK(outcomes[{kind, false}] > 0);
    }
}

TEST_CASE("a check of flipped bytes ends, with an error wherever a run refuses them",
          "[unit][trace-tools]")
{
    const uint32_t cases = CaseCount{.reduced = 50, .normal = 200, .full = 5000}.Pick();
    const ScratchDirectory scratch("flipped-bytes");
    const std::filesystem::path samples =
        std::filesystem::path(TEST_DATA) / "traces" / "stg-gpt-tp4dp2";
    std::filesystem::copy(samples, scratch.Path());
    std::vector<std::string> files;
    for (uint32_t rank = 0; rank < 8; ++rank)
    {
        files.push_back((scratch.Path() / fmt::format("workload.{}.et", rank)).string());
    }
    TraceOptions options;
    options.pattern = (scratch.Path() / "workload.{rank}.et").string();
    const std::string whole = ReadWholeFile(files[3]);
    REQUIRE(whole.size() > 1000);
    uint32_t refused = 0;
    for (uint64_t seed = 0; seed < cases; ++seed)
    {
        std::string bytes = whole;
        for (uint64_t flip = 0; flip < 1 + seed % 3; ++flip)
        {
            bytes[Hash64({seed, flip}) % bytes.size()] ^=
                static_cast<char>(1U << (Hash64({seed, flip, 1}) % 8));
        }
        scratch.Write("workload.3.et", bytes);
        const TraceCheck check = CheckTraces(files, std::nullopt);
        INFO("seed " << seed);
        if (!Finishes(options))
        {
            ++refused;
            CHECK(check.Count(Severity::Error) > 0);
        }
    }
    CHECK(refused > 0);
    CHECK(refused < cases);
}

} // namespace nadi::test
