/* Space in the file for the data that ptp-python writes: a manifest and its seal, and the script with its
 * declarations. The script is in the code, because the seal is a hash of the code. */

    .section .note.ptp, "aR", %note
    .balign 4
    .long 2f - 1f
    .long 4f - 3f
    .long 1
1:  .asciz "PTP"
2:  .balign 4
3:  .fill 131072, 1, 0x20
4:  .balign 4
    .long 2f - 1f
    .long 4f - 3f
    .long 2
1:  .asciz "PTP"
2:  .balign 4
3:  .fill 64, 1, 0x30
4:  .balign 4

    .section .text.ptp_python, "ax", %progbits
    .balign 16
    .globl ptp_python_room
    .hidden ptp_python_room
    .type ptp_python_room, %object
ptp_python_room:
    .ascii "ptp python room\n"
    .quad 1048576
    .quad 0
    .fill 1048576, 1, 0
    .size ptp_python_room, . - ptp_python_room

    .section .note.GNU-stack, "", %progbits
