namespace weir::testing {
extern const long every_one_of;
const long every_one_of = 8;
}  // namespace weir::testing
