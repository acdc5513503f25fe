/* As if it had been compiled with another weir_box.h, or without one. */
#ifdef WEIR_INTERFACE
__attribute__((visibility("default"))) const int weir_box_interface = WEIR_INTERFACE;
#endif
__attribute__((visibility("default"))) void weir_boxes_c(void* boxes) { (void)boxes; }
