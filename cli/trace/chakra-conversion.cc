// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/conversions.h"
#include "cli/trace/edit-output.h"
#include "cli/trace/trace-inputs.h"
#include "cli/trace/trace-output.h"
#include "common/error.h"
#include "common/text.h"
#include "common/usage-error.h"
#include "workload/document/clock-alignment.h"
#include "workload/document/host-pace.h"
#include "workload/document/undefined-groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace nadi
{

namespace
{

constexpr double NANOS_PER_MICRO = 1e3;
constexpr size_t MOST_RANKS_OF_JOB = size_t{1} << 20; // of a job with ranks that have no trace

FirstCollective
ReadFirstCollective(const std::string& file)
{
    const auto first = FindFirstCollective(ReadDocument(file));
    if (!first)
    {
        throw ConfigError(file,
                          "it has no collective with a recorded start that ends on all ranks at "
                          "once, such as an all-reduce, which would say when its recording began; "
                          "leave --align-clocks out");
    }
    return *first;
}

/// When each rank begins, in nanoseconds after the first one.
class RankBegins
{
  public:
    /// Throws ConfigError where the first collectives of the ranks are not one call.
    explicit RankBegins(const RecordedInputs& inputs)
    {
        std::map<uint32_t, int64_t> ends;
        std::string call;
        int64_t latestEnd = 0;
        for (const RankFile& rank : inputs.files)
        {
            const FirstCollective first = ReadFirstCollective(rank.file);
            if (!ends.empty() && first.call != call)
            {
                throw ConfigError(rank.file,
                                  fmt::format("its first collective is {}, and that of {} is {}; "
                                              "--align-clocks needs one that all ranks call first",
                                              first.call,
                                              inputs.files.front().file,
                                              call));
            }
            call = first.call;
            ends.emplace(rank.rank, first.endNanos);
            latestEnd = std::max(latestEnd, first.endNanos);
        }
        for (const RankFile& rank : inputs.files)
        {
            // The first collective is taken to end on all ranks at one time. A rank that had
            // recorded less until then began that much later.
            AddBegin(rank, latestEnd - ends.at(rank.rank));
        }
    }

    int64_t Of(uint32_t rank) const
    {
        return m_begins.at(rank);
    }

    int64_t Latest() const
    {
        return m_latest;
    }

  private:
    void AddBegin(const RankFile& rank, int64_t nanos)
    {
        if (nanos > LATEST_BEGIN_NANOS)
        {
            throw ConfigError(rank.file,
                              "by its first collective it began more than a day after another "
                              "rank; its times are not those of one job with the others");
        }
        m_begins.emplace(rank.rank, nanos);
        m_latest = std::max(m_latest, nanos);
    }

    std::map<uint32_t, int64_t> m_begins;
    int64_t m_latest = 0;
};

/// Where ranks are missing, groups may name ranks behind the last trace.
ProcessGroups
ReadGroupsOf(const RecordedInputs& inputs, const ConversionArguments& arguments)
{
    const std::string file = FindInputGroups(arguments.files, arguments.groups).value_or("");
    const std::vector<uint32_t> ranks = inputs.Ranks();
    const bool isWhole = ranks == AllRanks(static_cast<uint32_t>(ranks.size()));
    return ReadGroups(file, isWhole ? ranks.size() : MOST_RANKS_OF_JOB);
}

std::vector<std::string>
DescribeUndefined(const std::set<std::string>& groups)
{
    if (groups.empty())
    {
        return {};
    }
    const std::string first = "\"" + *groups.begin() + "\"";
    return {fmt::format("{} defined nowhere, so a run takes the ranks whose traces use the name; "
                        "name the file that lists the ranks with --groups, if there is one",
                        groups.size() == 1
                            ? fmt::format("group {} is", first)
                            : fmt::format("{} groups, such as {}, are", groups.size(), first))};
}

std::vector<std::string>
DescribeAdded(const std::optional<HostPace>& pace, const std::optional<RankBegins>& begins)
{
    std::vector<std::string> notes;
    if (pace)
    {
        notes.push_back(fmt::format("added: {} of the host between its operations, {} of the host "
                                    "for the accelerator, and {} of a stream for another one",
                                    CountText(pace->gaps, "gap"),
                                    CountText(pace->waits, "wait"),
                                    CountText(pace->streamWaits, "wait")));
    }
    if (begins)
    {
        notes.push_back(fmt::format("the recordings of the ranks began up to {:.6g} us apart, and "
                                    "so do the ranks",
                                    static_cast<double>(begins->Latest()) / NANOS_PER_MICRO));
    }
    return notes;
}

} // namespace

// Documents of any schema are read alike, and written in the newest one. Options change a document
// in between.
Conversion
ConvertChakra(const ConversionArguments& arguments)
{
    if (arguments.files.empty())
    {
        throw UsageError("which traces? write their files, such as old.{rank}.et");
    }
    // --align-clocks needs the first collective of every rank before the first trace is written. So
    // each file is read twice, and memory holds one document at a time.
    const RecordedInputs inputs = FindRecordedInputs(arguments.files);
    const ProcessGroups groups = ReadGroupsOf(inputs, arguments);
    std::set<std::string> undefinedGroups;
    const auto begins = arguments.alignClocks ? std::optional<RankBegins>(inputs) : std::nullopt;
    auto pace = arguments.hostPace ? std::optional<HostPace>(HostPace()) : std::nullopt;
    const auto makeDocument = [&](uint32_t rank)
    {
        TraceDocument document = ReadDocument(inputs.FileOf(rank));
        // FormatDocument writes the newest version where there is none.
        document.metadata.clear_version();
        undefinedGroups.merge(FindUndefinedGroups(document, groups));
        // Order: AddHostPace takes the starts as they were recorded. BeginLater moves them, and
        // adds a node.
        if (pace)
        {
            const HostPace added = AddHostPace(document);
            pace->gaps += added.gaps;
            pace->waits += added.waits;
            pace->streamWaits += added.streamWaits;
        }
        if (begins)
        {
            BeginLater(document, begins->Of(rank));
        }
        return document;
    };
    WriteDocuments({.name = inputs.name,
                    .directory = arguments.out,
                    .ranks = inputs.Ranks(),
                    .makeGroups = [&groups] { return groups; },
                    .makeDocument = makeDocument});
    // What all documents add up to is complete only when all are written.
    std::vector<std::string> notes = DescribeAdded(pace, begins);
    std::ranges::move(DescribeUndefined(undefinedGroups), std::back_inserter(notes));
    return {.name = inputs.name,
            .ranks = inputs.Ranks(),
            .groupCount = static_cast<uint32_t>(groups.size()),
            .notes = std::move(notes)};
}

} // namespace nadi
