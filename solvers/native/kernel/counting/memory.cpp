#include "counting/memory.hpp"

namespace mines {

namespace {

void append(std::string& text, std::int32_t value) {
    text.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

void Memory::describe(const Frontier& frontier, const Region& region) {
    description_.clear();
    number_.need(frontier.constraint_count);
    append(description_, region.constraint_count);
    for (std::int32_t i = 0; i < region.constraint_count; ++i) {
        const std::int32_t c = frontier.region_constraints[region.first_constraint + i];
        number_[c] = i;
        description_.push_back(static_cast<char>(frontier.constraints[c].low));
        description_.push_back(static_cast<char>(frontier.constraints[c].high));
    }
    for (std::int32_t i = 0; i < region.box_count; ++i) {
        const Box& box = frontier.boxes[frontier.region_boxes[region.first_box + i]];
        description_.push_back(static_cast<char>(box.size));
        description_.push_back(static_cast<char>(box.constraint_count));
        for (const std::int32_t c : frontier.constraints_of(box)) append(description_, number_[c]);
    }
}

Memory::Entry& Memory::find(const Frontier& frontier, const Region& region) {
    describe(frontier, region);
    std::unique_ptr<Entry>& entry = entries_[description_];
    if (!entry) entry = std::make_unique<Entry>();
    entry->last_used = now_;
    ++(entry->counted ? hits_ : misses_);
    return *entry;
}

bool Memory::enter() {
    if (busy_.test_and_set()) return false;
    ++now_;
    return true;
}

void Memory::leave(bool failed) {
    if (failed) entries_.clear();
    bytes_ = forget();
    size_ = entries_.size();
    busy_.clear();
}

// Drops the least recently used entries until the others take at most max_bytes_. Returns the bytes
// of the others. There are few entries, because each is a region of twenty boxes or more. So adding
// up the bytes of all entries is cheap.
std::size_t Memory::forget() {
    std::size_t bytes = 0;
    for (const auto& [description, entry] : entries_)
        bytes += description.size() + entry->elimination.bytes();
    for (std::uint64_t age = 64; bytes > max_bytes_; age /= 2) {
        for (auto at = entries_.begin(); at != entries_.end();) {
            const bool old = at->second->last_used + age <= now_;
            if (old) bytes -= at->first.size() + at->second->elimination.bytes();
            at = old ? entries_.erase(at) : std::next(at);
        }
        if (age == 0) break;
    }
    return bytes;
}

}  // namespace mines
