// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/message.h"
#include "network/packet/memo/network-classes.h"
#include "network/packet/memo/way-table.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace nadi
{

/// A message that enters the network, and the way that it takes; or closed traffic.
struct PeriodInput
{
    Message message;               ///< of closed traffic: its stream
    uint32_t way = 0;              ///< index in the WayTable, or of a set there
    uint32_t place = 0;            ///< in the backend's table of messages, or in the TrafficTable
    int64_t delivered = NOT_GIVEN; ///< of a message, in picoseconds
    uint64_t program = MESSAGE;    ///< of closed traffic

    static constexpr int64_t NOT_GIVEN = -1;
    static constexpr uint64_t MESSAGE = std::numeric_limits<uint64_t>::max();

    bool IsMessage() const
    {
        return program == MESSAGE;
    }
};

/// Describes what enters a part of the network in words that name no rank, link or stream: each is
/// numbered when it first appears, and told by its class and by where it stands among those that
/// appeared before. Parts of a network to which the same words apply are alike, in that some map of
/// their ranks, nodes, links and streams keeps ways, classes and every order. Ties in the network
/// are broken by such orders alone, so what happens in one part happens in the other.
///
/// Example: rank 9 sends to rank 12 over links 40 and 55. The words name two vertices, two links
/// and a stream that are new, with their classes, and the message from vertex 0 to vertex 1 over
/// links 0 and 1. Then rank 11 sends to rank 12 on a later stream: vertex 2, which stands second
/// of the three.
class PeriodLabels
{
  public:
    PeriodLabels(const Topology& topology, const NetworkClasses& classes)
        : m_topology(&topology)
        , m_classes(&classes)
    {
    }

    /// Nothing has appeared. Ways are stamped with `stamp`, which no other labels have or had.
    void Reset(uint64_t stamp);

    /// The words for what enters `after` picoseconds after the first. Sorts `inputs` into
    /// the order in which the words name them. Requires: those of one queue pair stand in the order
    /// in which they were sent.
    void Describe(int64_t after,
                  std::vector<PeriodInput>& inputs,
                  WayTable& ways,
                  std::vector<uint64_t>& words);

    /// By label.
    const std::vector<LinkId>& GetLinks() const
    {
        return m_links;
    }

  private:
    /// Names in ascending order, each with its label.
    struct Known
    {
        uint64_t name;
        uint32_t label;
    };

    using Names = std::vector<Known>;

    /// An input to be sorted.
    struct Sorting
    {
        uint64_t name; ///< labels of its way and stream
        uint32_t input;
    };

    static size_t PositionOf(const Names& names, uint64_t name);
    static bool Has(const Names& names, uint64_t name);
    static uint32_t LabelOf(const Names& names, uint64_t name);
    static void AddNames(Names& names, std::vector<uint64_t>& added, std::vector<uint64_t>& words);

    void SortByName(std::vector<PeriodInput>& inputs, WayTable& ways);
    static void AddInput(const PeriodInput& input, WayTable& ways, std::vector<uint64_t>& words);
    void AddWays(std::vector<uint32_t>& added, WayTable& ways, std::vector<uint64_t>& words);
    void AddVertices(const std::vector<uint64_t>& links, std::vector<uint64_t>& words);
    void AddLinks(std::vector<uint64_t>& links, std::vector<uint64_t>& words);
    void AddPath(const std::vector<LinkId>& path, std::vector<uint64_t>& words) const;

    const Topology* m_topology;
    const NetworkClasses* m_classes;
    uint64_t m_stamp = 0;
    uint32_t m_wayCount = 0;
    Names m_vertexNames;
    Names m_linkNames;
    Names m_streamNames;
    std::vector<Sorting> m_sorting; // while inputs are described
    std::vector<LinkId> m_links;    // by label
};

} // namespace nadi
