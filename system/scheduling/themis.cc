// SPDX-License-Identifier: GPL-2.0-only
#include "system/scheduling/inter-dimension-policy.h"
#include "system/scheduling/phase-cost.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace nadi
{

namespace
{

/// The loads that the chunks ordered so far put on each dimension, and the order that evens them
/// out best for the next one. Requires: at least one dimension.
///
/// Loads are transfer times in whole picoseconds, each phase rounded up; sizes are in whole
/// elements, rounded down where a chunk shrinks.
class LoadBalancer
{
  public:
    /// `pass` is the one that shapes the loads: reduce-scatter (also for an all-reduce, whose
    /// all-gathers mirror it) or all-gather.
    LoadBalancer(const ScheduleRequest& request, CollectiveType pass, double threshold)
        : m_request(request)
        , m_pass(pass)
        , m_threshold(threshold)
        , m_loads(request.dimensions.size())
    {
    }

    DimensionOrder Order(uint64_t elements)
    {
        DimensionOrder order(m_loads.size());
        std::iota(order.begin(), order.end(), 0);
        DimensionOrder balanced = SortByLoad(order);
        if (IsWorthwhile(balanced, elements))
        {
            order = std::move(balanced);
        }
        // The loads are those of the order that was taken, which the next chunk finds.
        const std::vector<SimTime> added = TransferTimes(order, elements);
        for (size_t position = 0; position < order.size(); ++position)
        {
            m_loads[order[position]] += added[position];
        }
        return order;
    }

  private:
    /// The biggest phase goes to the least loaded dimension: the first of a reduce-scatter, the
    /// last of an all-gather. Equal loads: lower dimension first.
    DimensionOrder SortByLoad(DimensionOrder order) const
    {
        std::stable_sort(order.begin(),
                         order.end(),
                         [this](uint32_t a, uint32_t b)
                         {
                             return m_pass == CollectiveType::AllGather ? m_loads[a] > m_loads[b]
                                                                        : m_loads[a] < m_loads[b];
                         });
        return order;
    }

    /// Whether the loads lie so far apart that another order pays: the most loaded dimension is
    /// ahead of the least loaded one by at least `threshold` times the time that this chunk takes
    /// on the latter.
    bool IsWorthwhile(const DimensionOrder& balanced, uint64_t elements) const
    {
        const auto [least, most] = std::minmax_element(m_loads.begin(), m_loads.end());
        // In the balanced order the largest phase of the chunk is on the least loaded dimension:
        // the first phase of a reduce-scatter, the last one of an all-gather.
        const std::vector<SimTime> times = TransferTimes(balanced, elements);
        const SimTime onLeast = m_pass == CollectiveType::AllGather ? times.back() : times.front();
        return static_cast<double>((*most - *least).Ps()) >=
               m_threshold * static_cast<double>(onLeast.Ps());
    }

    /// How long each phase of a chunk keeps its dimension busy, by position in the order.
    std::vector<SimTime> TransferTimes(const DimensionOrder& order, uint64_t elements) const
    {
        std::vector<SimTime> times;
        for (const uint32_t index : order)
        {
            const DimensionModel& dimension = m_request.dimensions[index];
            const Bytes held = Bytes(static_cast<int64_t>(elements)) * m_request.elementBytes;
            times.push_back(ComputePhaseCost(dimension, m_pass, held).transfer);
            elements = m_pass == CollectiveType::AllGather ? elements * dimension.size
                                                           : elements / dimension.size;
        }
        return times;
    }

    const ScheduleRequest& m_request;
    CollectiveType m_pass;
    double m_threshold;
    std::vector<SimTime> m_loads; // by dimension
};

/// Gives each chunk the order that evens out the loads of the dimensions (S. Rashidi et al.,
/// "Themis: A Network Bandwidth-Aware Collective Scheduling Policy for Distributed Training of DL
/// Models", ISCA 2022).
class Themis : public InterDimensionPolicy
{
  public:
    static constexpr const char* Help =
        "Each chunk of an all-reduce, reduce-scatter or all-gather crosses the dimensions in the "
        "order that evens out their loads. Chunks of other collectives cross them as with "
        "baseline.";

    static std::vector<ParameterSpec> ParameterSpecs()
    {
        return {
            {"threshold",
             ParameterKind::Number,
             "0.0625",
             "How far the loads of two dimensions must be apart before a chunk has its largest "
             "phase on the least loaded one, as a share of the time that the phase takes there. "
             "Below it the chunk crosses the dimensions from the first to the last."}};
    }

    explicit Themis(const Parameters& parameters)
        : m_threshold(parameters.Get<double>("threshold"))
    {
    }

    std::vector<DimensionOrder>
    OrderChunks(const ScheduleRequest& request,
                const std::vector<uint64_t>& chunkElements) const override
    {
        const CollectiveType type = request.type;
        const auto dimensions = static_cast<uint32_t>(request.dimensions.size());
        const bool isBalanced = type == CollectiveType::AllReduce ||
                                type == CollectiveType::ReduceScatter ||
                                type == CollectiveType::AllGather;
        if (!isBalanced || dimensions < 2)
        {
            return std::vector(chunkElements.size(), BaselineOrder(type, dimensions));
        }
        LoadBalancer balancer(request,
                              type == CollectiveType::AllGather ? CollectiveType::AllGather
                                                                : CollectiveType::ReduceScatter,
                              m_threshold);
        std::vector<DimensionOrder> orders;
        for (const uint64_t elements : chunkElements)
        {
            orders.push_back(balancer.Order(elements));
        }
        return orders;
    }

  private:
    double m_threshold;
};

NADI_REGISTER(InterDimensionPolicy, Themis, "themis");

} // namespace

} // namespace nadi
